import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseCookie, stringifySetCookie } from 'cookie'
import { isEncrypted } from './request.ts'

/** As long as browsers keep any cookie, in seconds. */
export const longestMaxAge = 400 * 24 * 60 * 60

const asItCame = { decode: (text: string) => text }

/** Value of one cookie, undecoded. */
export const readCookie = ({ headers: { cookie = '' } }: IncomingMessage, name: string): string | undefined =>
  parseCookie(cookie, asItCame)[name]

/** Whether the browser reaches us over TLS: here, or at a proxy, whose header no page can set. */
const isSecure = (request: IncomingMessage) => isEncrypted(request) || request.headers['x-forwarded-proto'] === 'https'

/**
 * The full name of a cookie for a request. Browsers send the cookies of a host to each of its ports, so without the port
 * two servers on one machine would overwrite each other's. Over TLS the prefix has browsers refuse the cookie from
 * anything that was loaded without TLS (T34).
 */
export const cookieNameFor = (name: string, request: IncomingMessage): string =>
  `${isSecure(request) ? '__Host-' : ''}${name}.${request.socket.localPort}`

interface CookieOptions {
  /** Undefined removes the cookie. */
  value: string | undefined
  /** In seconds; undefined until the browser closes. */
  maxAge: number | undefined
}

/** Sets a cookie that no script can read and that other sites' forms do not send; `name` is without port and prefix. */
export function writeCookie(
  request: IncomingMessage,
  response: ServerResponse,
  name: string,
  { value, maxAge }: CookieOptions,
): void {
  const age = value === undefined ? 0 : maxAge
  const cookie = stringifySetCookie({
    name: cookieNameFor(name, request),
    value,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(request),
    ...(age !== undefined && { maxAge: age }),
  })
  response.appendHeader('set-cookie', cookie)
}
