import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseCookie, stringifySetCookie } from 'cookie'
import { isEncrypted } from './request.ts'

/** Maximum lifetime of a cookie in browsers, in seconds. */
export const longestMaxAge = 400 * 24 * 60 * 60

const undecoded = { decode: (text: string) => text }

/** Value of a cookie, undecoded. */
export const readCookie = ({ headers: { cookie = '' } }: IncomingMessage, name: string): string | undefined =>
  parseCookie(cookie, undecoded)[name]

/** True if the browser uses TLS: to this server, or to a proxy, whose header no page can set. */
const isSecure = (request: IncomingMessage) => isEncrypted(request) || request.headers['x-forwarded-proto'] === 'https'

/** Port by which the browser names this server. */
function namedPort(request: IncomingMessage): string {
  const [, port] = /:(\d{1,5})$/.exec(request.headers.host ?? '') ?? []
  return port ?? (isSecure(request) ? '443' : '80')
}

/**
 * Browsers send the cookies of a host to all its ports; without the port in the name, two servers on one machine would
 * overwrite each other's cookies. The port is that of the browser: several servers behind one address share its cookies.
 */
const plainName = (name: string, request: IncomingMessage) => `${name}.${namedPort(request)}`

/** Name that earlier versions gave: behind a proxy, the browser's port is another. */
const earlierName = (name: string, { socket }: IncomingMessage) => `${name}.${socket.localPort}`

/** Prefix of cookies over TLS: browsers reject such a cookie from any response without TLS (T34). */
const securePrefix = '__Host-'

/**
 * Value of a cookie set by `writeCookie`. A proxy may report TLS for pages but not for WebSockets, so the name set only
 * with TLS is tried first for every request.
 */
export function readWrittenCookie(request: IncomingMessage, name: string): string | undefined {
  for (const plain of [plainName(name, request), earlierName(name, request)]) {
    const value =
      readCookie(request, securePrefix + plain) ?? (isSecure(request) ? undefined : readCookie(request, plain))
    if (value !== undefined) {
      return value
    }
  }
  return undefined
}

interface CookieOptions {
  /** Undefined removes the cookie. */
  value: string | undefined
  /** In seconds; undefined for a session cookie. */
  maxAge: number | undefined
}

/** Sets a cookie that scripts cannot read and other sites' forms do not send; `name` is without port and prefix. */
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
