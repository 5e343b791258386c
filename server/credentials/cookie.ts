import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App } from '../call/call.ts'
import { asUser, type Principal } from '../ground/principal.ts'
import { forbidden } from '../ground/errors.ts'
import { longestMaxAge, readWrittenCookie, writeCookie } from '../engines/http/web/cookies.ts'
import type { LiveSession } from './session-mirror.ts'
import { linkMakerOf, standsLink } from './link-rights.ts'
import { hasPageKey } from './page-key.ts'
import type { Scheme, SchemeOptions } from './scheme.ts'

/** Name of the session cookie, before the port. */
export const cookieName = '.Farhand.Identity'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The user of the session, restricted by its grant, if any; undefined for a deleted user, and for a link that ended. */
export function principalOf(app: App, { tokenHash, userId, grant }: LiveSession): Principal | undefined {
  const { accounts, sessions } = app
  const account = accounts.get(userId)
  const isStanding = () => !grant || standsLink(app, grant)
  return account && isStanding()
    ? {
        ...asUser(account),
        linkMaker: grant ? linkMakerOf(app, grant, account) : null,
        credential: grant
          ? { kind: 'LogonToken', ...grant, sessionId: tokenHash }
          : { kind: 'Session', sessionId: tokenHash },
        madeWith: grant?.madeWith ?? null,
        isLive: () => sessions.isLive(tokenHash) && isStanding(),
        use: () => isStanding() && sessions.use(tokenHash),
      }
    : undefined
}

/** The live session of the cookie, even without the page key required for its use. */
export function sessionOf(app: App, request: IncomingMessage): LiveSession | undefined {
  const token = readWrittenCookie(request, cookieName)
  return token === undefined ? undefined : app.sessions.find(token)
}

/** The session of the cookie that another server of the database has made a moment ago. */
async function sessionJustMade(app: App, request: IncomingMessage): Promise<LiveSession | undefined> {
  if (readWrittenCookie(request, cookieName) === undefined) {
    return undefined
  }
  await app.database.catchUp()
  return sessionOf(app, request)
}

/**
 * The principal of the session cookie, if its session is live. Browsers attach cookies to requests of other sites, so a
 * write or a socket with a cookie must come from our origin: throws 403. Browsers also send cookies to every port of
 * the host, so a session of our page needs the key of that page, too (T34).
 */
async function readSessionCookie(
  request: IncomingMessage,
  app: App,
  options: SchemeOptions,
): Promise<Principal | undefined> {
  const { origins, remoteAddressOf } = options
  const session = sessionOf(app, request) ?? (await sessionJustMade(app, request))
  if (!session) {
    return undefined
  }
  const needsOrigin = !safeMethods.has(request.method ?? '') || request.headers.upgrade !== undefined
  if (needsOrigin && !origins.isOwn(request)) {
    throw forbidden('This request comes from another site.')
  }
  if (!(await hasPageKey(app, request, session))) {
    return undefined
  }
  app.sessions.seen.note(session.tokenHash, remoteAddressOf(request))
  return principalOf(app, session)
}

/** The session cookie: the last scheme, for requests without another credential. */
export const createCookieScheme = (app: App, options: SchemeOptions): Scheme => ({
  handles: () => true,
  authenticate: (request) => readSessionCookie(request, app, options),
})

/**
 * `token` undefined removes the cookie. A persistent cookie gets the longest lifetime of browsers: the server expires
 * an unused session long before, and a shorter lifetime would end a session in use.
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
