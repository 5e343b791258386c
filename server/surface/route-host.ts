import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RouteDefinition, RouteInput } from '../../shared/contract/route.ts'
import type { Authenticate } from '../credentials/authenticate.ts'
import { sessionOf, writeSessionCookie } from '../credentials/cookie.ts'
import { knownBrowser } from '../identity/known-browser.ts'
import { pageKeyOf } from '../credentials/page-key.ts'
import { actorOf } from '../ground/actor.ts'
import type { App, OpenRouteCall } from '../call/call.ts'
import { AppError, forbidden, notFound, unauthorized } from '../ground/errors.ts'
import { isDigestWanted, restWanted } from '../engines/http/web/range.ts'
import { createRateLimit } from '../engines/http/web/rate-limit.ts'
import { countedAddress, type RemoteAddressOf } from '../engines/http/web/remote-address.ts'
import { isLocalRequest } from '../engines/http/web/request.ts'
import type { RunningHandlers } from '../engines/http/web/running-handlers.ts'
import type { RouteHost } from '../engines/http/contract/router.ts'
import type { Origins } from '../engines/http/web/origins.ts'
import { untilRightsKnown } from '../call/running-work.ts'
import { queueByAccount } from './queue-by-account.ts'
import { admit, authorize, authorizeWrite, untilCurrent, type Subject } from './authorize.ts'
import { refuseMissingSecondFactor, refusePendingPasswordChange } from '../people/unfinished-account.ts'
import { refuseOldProof } from '../assignments/recent-proof.ts'
import { memoryOf, type Principal } from '../ground/principal.ts'
import { InputBudget } from '../engines/flow/input-budget.ts'
import { UnreadAnswers } from '../engines/http/web/unread-answers.ts'

/** Per remote address, on routes that limit attempts. */
const attemptLimit = { limit: 20, windowMs: 60_000 }

/** Memory for unfinished bodies of callers with a principal, and of one account, in bytes. */
const bodyBytes = { all: 256 * 1024 * 1024, share: 16 * 1024 * 1024 }

interface HostOptions {
  isStrict: boolean
  authenticate: Authenticate
  remoteAddressOf: RemoteAddressOf
  origins: Origins
  unprovedInput: InputBudget
  answers: RunningHandlers
  elsewhere: RouteHost<OpenRouteCall>['elsewhere'] | undefined
}

/** Asked for by `EventSource`, which names the last event that it got when it connects again. */
function eventStreamOf({ headers }: IncomingMessage): { lastEventId: string | undefined } | undefined {
  const lastEventId = headers['last-event-id']
  return headers.accept?.includes('text/event-stream')
    ? { lastEventId: typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : undefined }
    : undefined
}

function endOf(response: ServerResponse): AbortSignal {
  const end = new AbortController()
  response.once('close', () => end.abort())
  if (response.closed) {
    end.abort()
  }
  return end.signal
}

/** Ignores an invalid credential, but rethrows the rejection of a cross-site cookie. */
function ignoreBroken(error: unknown): void {
  if (!(error instanceof AppError) || (error.status !== 400 && error.status !== 401)) {
    throw error
  }
}

/** Recheck of a route whose access is not decided yet. */
const nothingToRecheck = () => Promise.resolve()

const memberAt = (holder: unknown, at: string | number) => (holder as Record<string, unknown> | undefined)?.[at]

/** Throws 401 once a credential has ended: bodies take long to arrive, and earlier requests of the account long to end. */
function requireLive(principal: Principal | undefined) {
  if (principal?.isLive() === false) {
    throw unauthorized()
  }
}

/** Rejects a user who must change the password or set up a second factor first, where the route does. Throws 403. */
function refuseUnfinished(
  app: App,
  principal: Principal | undefined,
  { access, whilePasswordChangePending, whileSecondFactorMissing }: RouteDefinition,
): void {
  if (access !== 'anonymous' && !whilePasswordChangePending) {
    refusePendingPasswordChange(app, principal)
  }
  if (access !== 'anonymous' && !whileSecondFactorMissing) {
    refuseMissingSecondFactor(app, principal)
  }
}

const subjectOf = ({ params, body, tenantId }: RouteInput<RouteDefinition>): Subject => ({
  named: (at) => memberAt(params, at) ?? memberAt(body, at),
  tenantId,
  sight: 'readable',
})

/** Runs handlers whose writes wait: the caller or its right may end meanwhile (T09). */
const handlerOf =
  (app: App): RouteHost<OpenRouteCall>['handle'] =>
  ({ principal }, definition, input, handler) => {
    // An anonymous route does not depend on who asks: a sign-in ends the session before it.
    if (!principal || definition.access === 'anonymous') {
      return handler()
    }
    const subject = subjectOf(input)
    const check = () => {
      authorizeWrite(app, principal, definition.access, subject)
      refuseUnfinished(app, principal, definition)
    }
    return app.database.checkingWrites(check, handler)
  }

/** Recheck of running work. */
const recheckOf = (app: App, decide: () => Promise<unknown>) => async () => {
  await untilRightsKnown(app.database)
  await decide()
}

/** Counts the memory for bodies of strangers by address, and of the others by account. */
function bodySenders(unprovedInput: InputBudget): RouteHost<OpenRouteCall>['senderOf'] {
  const provedInput = new InputBudget(bodyBytes)
  return ({ principal, remoteAddress }, { socket }) => {
    const source = { drop: () => socket.destroy() }
    return principal
      ? { isProved: true, held: provedInput.open(memoryOf(principal), source) }
      : { isProved: false, held: unprovedInput.open(countedAddress(remoteAddress), source) }
  }
}

/** Product side of the route engine: finds the principal and its rights. */
export function createRouteHost(app: App, options: HostOptions): RouteHost<OpenRouteCall> {
  const { isStrict, authenticate, remoteAddressOf, origins, unprovedInput, answers, elsewhere } = options
  const unread = new UnreadAnswers(remoteAddressOf)
  const attempts = createRateLimit(app.clock, attemptLimit)
  const attemptKey = (request: IncomingMessage, { path }: RouteDefinition) =>
    `${countedAddress(remoteAddressOf(request))} ${path}`
  return {
    log: app.log,
    unread,
    answering: (answer) => answers.add(answer),
    isStrict,
    async createCall(request, response, { access }) {
      origins.checkHost(request)
      await untilCurrent(app)
      let principal: Principal | undefined
      try {
        principal = await authenticate(request)
      } catch (error) {
        if (access !== 'anonymous') {
          throw error
        }
        ignoreBroken(error)
      }
      if (principal) {
        unread.charge(response, memoryOf(principal))
      }
      // Cross-site pages cannot send keys or tokens, and the cookie scheme checks the origin itself. A request without
      // a principal could still be a login CSRF.
      if (!principal && request.method !== 'GET' && request.method !== 'HEAD') {
        origins.checkOrigin(request)
      }
      const remoteAddress = remoteAddressOf(request)
      let end: AbortSignal | undefined
      return {
        app,
        principal,
        actor: actorOf(principal, remoteAddress, request.headers['user-agent']),
        remoteAddress,
        userAgent: request.headers['user-agent'] ?? null,
        isLocal: () => isLocalRequest(request),
        // A method instead of a getter: V8 gives each object literal with a getter its own hidden class, which retains
        // the whole request.
        origin: () => origins.originFor(request),
        siteOrigin: () => origins.siteOriginFor(request),
        rest: () => restWanted(request),
        isDigestWanted: () => isDigestWanted(request),
        eventStream: () => eventStreamOf(request),
        closed: () => (end ??= endOf(response)),
        recheck: nothingToRecheck,
        nameIgnored: (names) => {
          if (names.length > 0) {
            response.addStanding('x-ignored', names.join(', '))
          }
        },
        setSession: (token, isPersistent) => writeSessionCookie(request, response, token, isPersistent),
        cookieSession: () => sessionOf(app, request),
        pageKey: pageKeyOf(request),
        browser: knownBrowser(app, request, response),
      }
    },
    admit({ principal }, definition) {
      const { access, recentProof, onlyWith } = definition
      if (onlyWith && !app.config.appOptions[onlyWith]) {
        throw notFound('address')
      }
      refuseUnfinished(app, principal, definition)
      admit(app, principal, access)
      if (recentProof) {
        refuseOldProof(app, principal)
      }
    },
    hasTenant: ({ principal }) => principal?.tenantId != null,
    tenantOf({ principal }) {
      if (principal?.tenantId == null) {
        throw forbidden('This address serves the tenant of its caller, and you have none.')
      }
      return principal.tenantId
    },
    async authorize(call, { access }, input) {
      const subject = subjectOf(input)
      const decide = () => {
        requireLive(call.principal)
        return authorize(app, call.principal, access, subject)
      }
      call.recheck = recheckOf(app, decide)
      await untilCurrent(app)
      return decide()
    },
    handle: handlerOf(app),
    senderOf: bodySenders(unprovedInput),
    ...(elsewhere && { elsewhere }),
    queued: queueByAccount(app),
    attempts: {
      take: (request, definition) => attempts.take(attemptKey(request, definition)),
    },
  }
}
