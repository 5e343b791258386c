import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App } from '../call.ts'
import { asUser, type Principal } from '../principal.ts'
import { forbidden } from '../errors.ts'
import { longestMaxAge, readWrittenCookie, writeCookie } from '../http/web/cookies.ts'
import type { Site } from '../http/web/site.ts'
import type { LiveSession } from '../mirrors/sessions.ts'
import { hasPageKey } from './page-key.ts'
import type { Scheme, SchemeOptions } from './scheme.ts'

/** Name of the session cookie, before the port. */
export const cookieName = '.Farhand.Identity'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The user of the session, confined to its grant where it has one; undefined for a deleted one. */
export function principalOf(
  { accounts, sessions }: App,
  { tokenHash, userId, grant }: LiveSession,
): Principal | undefined {
  const account = accounts.get(userId)
  return (
    account && {
      ...asUser(account),
      credential: grant
        ? { kind: 'LogonToken', ...grant, sessionId: tokenHash }
        : { kind: 'Session', sessionId: tokenHash },
      madeWith: grant?.madeWith ?? null,
      isLive: () => sessions.isLive(tokenHash),
      use: () => sessions.use(tokenHash),
    }
  )
}

/** The live session of the cookie, whatever else the request carries: also without the page key that using it needs. */
export function sessionOf(app: App, request: IncomingMessage): LiveSession | undefined {
  const token = readWrittenCookie(request, cookieName)
  return token === undefined ? undefined : app.sessions.find(token)
}

/**
 * The principal of the session cookie, if there is a live session. A browser sends cookies along with requests that
 * other sites make, so a write or a socket with a cookie must come from our own origin: throws 403. And it sends them to
 * every port of the host, so a session of our own page needs the key of that page, too (T34).
 */
function readSessionCookie(request: IncomingMessage, app: App, site: Site): Principal | undefined {
  const session = sessionOf(app, request)
  if (!session) {
    return undefined
  }
  const needsOrigin = !safeMethods.has(request.method ?? '') || request.headers.upgrade !== undefined
  if (needsOrigin && !site.isOwn(request)) {
    throw forbidden('This request comes from another site.')
  }
  return hasPageKey(app, request, session) ? principalOf(app, session) : undefined
}

/** The session cookie: what is left when a request carries nothing else. */
export const createCookieScheme = (app: App, { site }: SchemeOptions): Scheme => ({
  handles: () => true,
  authenticate: (request) => readSessionCookie(request, app, site),
})

/**
 * `token` undefined removes the cookie. A lasting one is kept as long as browsers keep any: the server ends a session
 * that is not used long before, and a shorter time would end one that is.
 */
export const writeSessionCookie = (
  request: IncomingMessage,
  response: ServerResponse,
  token: string | undefined,
  isPersistent = false,
): void =>
  writeCookie(request, response, cookieName, {
    value: token,
    maxAge: isPersistent ? longestMaxAge : undefined,
  })
