import type { IncomingMessage, ServerResponse } from 'node:http'
import { stringifySetCookie } from 'cookie'
import type { App } from '../call.ts'
import type { Principal } from '../principal.ts'
import { forbidden } from '../errors.ts'
import { isEncrypted, readCookie } from '../http/web/request.ts'
import type { Site } from '../http/web/site.ts'
import type { Scheme, SchemeOptions } from './scheme.ts'
import type { LiveSession } from '../memory/sessions.ts'

export const cookieName = '.Farhand.Identity'

/**
 * As long as browsers keep any cookie, in seconds. The server ends a session that is not used long before; a shorter
 * time here would end one that is.
 */
const longestMaxAge = 400 * 24 * 60 * 60

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The user of the session, confined to its grant where it has one; undefined for a deleted one. */
export function principalOf(
  { accounts, sessions }: App,
  { tokenHash, userId, grant }: LiveSession,
): Principal | undefined {
  const account = accounts.get(userId)
  return (
    account && {
      kind: 'User',
      id: account.id,
      tenantId: account.tenantId,
      name: account.userName,
      isUnrestricted: false,
      credential: grant
        ? { kind: 'LogonToken', ...grant, sessionId: tokenHash }
        : { kind: 'Session', sessionId: tokenHash },
      isLive: () => sessions.isLive(tokenHash),
      use: () => sessions.use(tokenHash),
    }
  )
}

/**
 * The principal of the session cookie, if there is a live session. A browser sends cookies along with requests that
 * other sites make, so a write or a socket with a cookie must come from our own origin: throws 403.
 */
function readSessionCookie(request: IncomingMessage, app: App, site: Site): Principal | undefined {
  const token = readCookie(request, cookieName)
  const session = token === undefined ? undefined : app.sessions.find(token)
  if (!session) {
    return undefined
  }
  const needsOrigin = !safeMethods.has(request.method ?? '') || request.headers.upgrade !== undefined
  if (needsOrigin && !site.isOwn(request)) {
    throw forbidden('This request comes from another site.')
  }
  return principalOf(app, session)
}

/** The session cookie: what is left when a request carries nothing else. */
export const createCookieScheme = (app: App, { site }: SchemeOptions): Scheme => ({
  handles: () => true,
  authenticate: (request) => readSessionCookie(request, app, site),
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
