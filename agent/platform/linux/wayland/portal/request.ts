import { deferred } from '../../../../../shared/deferred.ts'
import { UserError } from '../../../../base/errors.ts'
import { quoted, type Bus, type BusObject } from '../bus.ts'
import type { Value } from '../gio.ts'

const portal = { name: 'org.freedesktop.portal.Desktop', path: '/org/freedesktop/portal/desktop' }
export const remoteDesktop: BusObject = { ...portal, interface: 'org.freedesktop.portal.RemoteDesktop' }
export const screenCast: BusObject = { ...portal, interface: 'org.freedesktop.portal.ScreenCast' }
export const clipboard: BusObject = { ...portal, interface: 'org.freedesktop.portal.Clipboard' }

const granted = 0
const declined = 1

let lastToken = 0

/** Returns a name for a new object of the portal, which no other object of this process has. */
export const newToken = (): string => `farhand${++lastToken}`

/** Version of an interface of the portal; 0 where the desktop does not offer it. */
export async function versionOf(bus: Bus, object: BusObject): Promise<number> {
  const text = `(${quoted(object.interface)}, "version")`
  return await bus
    .call({ ...object, interface: 'org.freedesktop.DBus.Properties' }, 'Get', { types: '(ss)', text })
    .then(
      ({ values }) => Number(values[0]),
      () => 0,
    )
}

export interface PortalCall {
  object: BusObject
  method: string
  /** Types and values of the arguments before the options. */
  types: string
  values: readonly string[]
  /** Values of the options, as GVariant text. */
  options: Readonly<Record<string, string>>
  /** Time for the response, which may wait for the person. */
  limitMs: number
}

export type Results = Map<Value, Value>

/** Calls a method of the portal, which responds by a signal. Rejects with a UserError. */
export async function request(bus: Bus, call: PortalCall): Promise<Results> {
  const { object, method, types, values, options, limitMs } = call
  const token = newToken()
  const path = `${portal.path}/request/${bus.uniqueName.slice(1).replaceAll('.', '_')}/${token}`
  const pending = { ...portal, path, interface: 'org.freedesktop.portal.Request' }
  const all = Object.entries({ ...options, handle_token: quoted(token) })
  const dictionary = `{${all.map(([name, value]) => `'${name}': <${value}>`).join(', ')}}`
  const { promise, resolve, reject } = deferred<readonly Value[]>()
  // Before the call, because the response may arrive before the reply.
  const stop = bus.listen(pending, 'Response', resolve)
  const timer = setTimeout(() => {
    bus.send(pending, 'Close')
    reject(new UserError(`The person at the device was asked and did not answer within ${limitMs / 1000} s.`))
  }, limitMs)
  try {
    // A tuple of one value ends with a comma.
    const text = values.length === 0 ? `(${dictionary},)` : `(${[...values, dictionary].join(', ')})`
    // Together: a bus that answers nothing keeps nobody waiting beyond the limit.
    const [, [response, results]] = await Promise.all([
      bus.call(object, method, { types: `(${types}a{sv})`, text }),
      promise,
    ])
    if (response === granted && results instanceof Map) {
      return results
    }
    throw new UserError(
      response === declined
        ? 'The person at the device did not allow it.'
        : `The portal of this desktop failed at ${method}. Is its part for the desktop installed?`,
    )
  } finally {
    clearTimeout(timer)
    stop()
  }
}
