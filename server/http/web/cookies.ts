import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseCookie, stringifySetCookie } from 'cookie'
import { isEncrypted } from './request.ts'

/** As long as browsers keep any cookie, in seconds. */
export const longestMaxAge = 400 * 24 * 60 * 60

const asItCame = { decode: (text: string) => text }

/** Value of one cookie, undecoded. */
export const readCookie = ({ headers: { cookie = '' } }: IncomingMessage, name: string): string | undefined =>
  parseCookie(cookie, asItCame)[name]

/**
 * The name of a cookie with the port that the request came to. Browsers send the cookies of a host to each of its ports,
 * so without it two servers on one machine would overwrite each other's.
 */
export const withPort = (name: string, { socket }: IncomingMessage): string => `${name}.${socket.localPort}`

interface CookieOptions {
  /** Undefined removes the cookie. */
  value: string | undefined
  /** In seconds; undefined until the browser closes. */
  maxAge: number | undefined
}

/** Sets a cookie that no script can read and that other sites' forms do not send. */
export function writeCookie(
  request: IncomingMessage,
  response: ServerResponse,
  name: string,
  { value, maxAge }: CookieOptions,
): void {
  const age = value === undefined ? 0 : maxAge
  const cookie = stringifySetCookie({
    name,
    value,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isEncrypted(request) || request.headers['x-forwarded-proto'] === 'https',
    ...(age !== undefined && { maxAge: age }),
  })
  response.appendHeader('set-cookie', cookie)
}
