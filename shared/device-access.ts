import { memberOf } from './contract/lenient.ts'

/** Path of links with a logon token. */
export const deviceAccessPath = '/device-access'

/** The raw parameters of such a link. */
export function deviceAccessParameters(query: Record<string, string>): { deviceId: unknown; logonToken: unknown } {
  return { deviceId: memberOf(query, 'deviceId'), logonToken: memberOf(query, 'logonToken') }
}

/** Parameter of a link that opens a shared terminal in the page. */
export const sharedTerminalView = { view: 'terminal' } as const

/** Parameter of the request with which our page ends the session of the visitor for that of the link. */
export const endsSessionParameter = 'endsSession'
