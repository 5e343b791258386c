import type { IncomingMessage, ServerResponse } from 'node:http'
import { stringifySetCookie } from 'cookie'
import type { App, Principal } from '../context.ts'
import { forbidden } from '../errors.ts'
import { isEncrypted, readCookie } from '../http/web/request.ts'
import type { Site } from '../http/web/site.ts'
import type { Scheme, SchemeOptions } from './authenticate.ts'
import type { LiveSession, Sessions } from '../memory/sessions.ts'

export const cookieName = '.Farhand.Identity'

/**
 * As long as browsers keep any cookie, in seconds. The server ends a session that is not used long before; a shorter
 * time here would end one that is.
 */
const longestMaxAge = 400 * 24 * 60 * 60

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whoever the session belongs to, confined to its grant where it has one. */
export const principalOf = (session: LiveSession, sessions: Sessions): Principal => ({
  kind: 'User',
  id: session.userId,
  tenantId: session.tenantId,
  name: session.userName,
  isUnrestricted: false,
  credential: session.grant ? { kind: 'LogonToken', ...session.grant, session } : { kind: 'Session', session },
  isLive: () => sessions.use(session.tokenHash) !== undefined,
})

/**
 * The principal of the session cookie, if there is a live session. A browser sends cookies along with requests that
 * other sites make, so a write or a socket with a cookie must come from our own origin: throws 403.
 */
function readSessionCookie(request: IncomingMessage, sessions: Sessions, site: Site): Principal | undefined {
  const token = readCookie(request, cookieName)
  const session = token === undefined ? undefined : sessions.find(token)
  if (!session) {
    return undefined
  }
  const needsOrigin = !safeMethods.has(request.method ?? '') || request.headers.upgrade !== undefined
  if (needsOrigin && !site.isOwn(request)) {
    throw forbidden('This request comes from another site.')
  }
  return principalOf(session, sessions)
}

/** The session cookie: what is left when a request carries nothing else. */
export const createCookieScheme = ({ sessions }: App, { site }: SchemeOptions): Scheme => ({
  handles: () => true,
  authenticate: (request) => readSessionCookie(request, sessions, site),
})

/** `token` undefined removes the cookie. */
export function writeSessionCookie(
  request: IncomingMessage,
  response: ServerResponse,
  token: string | undefined,
  isPersistent = false,
): void {
  const maxAge = token === undefined ? 0 : isPersistent ? longestMaxAge : undefined
  const cookie = stringifySetCookie({
    name: cookieName,
    value: token,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isEncrypted(request) || request.headers['x-forwarded-proto'] === 'https',
    ...(maxAge !== undefined && { maxAge }),
  })
  response.appendHeader('set-cookie', cookie)
}
