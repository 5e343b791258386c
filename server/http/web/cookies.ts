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
 * Browsers send the cookies of a host to each of its ports, so without the port two servers on one machine would
 * overwrite each other's.
 */
const plainName = (name: string, { socket }: IncomingMessage) => `${name}.${socket.localPort}`

/** Prefix of cookies over TLS: browsers reject such a cookie from anything that was loaded without TLS (T34). */
const securePrefix = '__Host-'

/**
 * Value of a cookie that `writeCookie` has set. A proxy may say that it has TLS with pages and not with WebSockets, so
 * the name that only TLS sets comes first, whatever the request says.
 */
export function readWrittenCookie(request: IncomingMessage, name: string): string | undefined {
  const plain = plainName(name, request)
  return readCookie(request, securePrefix + plain) ?? (isSecure(request) ? undefined : readCookie(request, plain))
}

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
  const secure = isSecure(request)
  const age = value === undefined ? 0 : maxAge
  const cookie = stringifySetCookie({
    name: `${secure ? securePrefix : ''}${plainName(name, request)}`,
    value,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure,
    ...(age !== undefined && { maxAge: age }),
  })
  response.appendHeader('set-cookie', cookie)
}
