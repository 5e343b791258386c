import type { IncomingMessage } from 'node:http'
import type { RouteDefinition } from '../../shared/contract/route.ts'
import type { Authenticate } from '../auth/authenticate.ts'
import { writeSessionCookie } from '../auth/cookie.ts'
import type { App, Context } from '../context.ts'
import { forbidden } from '../errors.ts'
import { createRateLimit } from '../http/rate-limit.ts'
import type { RemoteAddressOf } from '../http/request.ts'
import type { RouteHost } from '../http/router.ts'
import type { Site } from '../http/site.ts'
import { permit, permitInTenant, permitOn } from '../policies/index.ts'

/** On routes that limit attempts, for each remote address. */
const attemptLimit = { limit: 20, windowMs: 60_000 }

interface HostOptions {
  isStrict: boolean
  authenticate: Authenticate
  remoteAddressOf: RemoteAddressOf
  site: Site
}

/** What the route engine asks of the product: who calls, and what they may do. */
export function createHost(app: App, options: HostOptions): RouteHost<Context> {
  const { isStrict, authenticate, remoteAddressOf, site } = options
  const attempts = createRateLimit(app.clock, attemptLimit)
  const attemptKey = (request: IncomingMessage, { path }: RouteDefinition) => `${remoteAddressOf(request)} ${path}`
  return {
    log: app.log,
    isStrict,
    async createContext(request, response) {
      site.checkHost(request)
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        site.checkOrigin(request)
      }
      return {
        app,
        principal: await authenticate(request),
        remoteAddress: remoteAddressOf(request),
        origin: site.originFor(request),
        setSession: (token, isPersistent) => writeSessionCookie(request, response, token, isPersistent),
      }
    },
    permit: ({ principal }, { access }) => permit(app, principal, access),
    tenantOf({ principal }) {
      if (principal?.tenantId == null) {
        throw forbidden('This address serves the tenant of its caller, and you have none.')
      }
      return principal.tenantId
    },
    reachTenant: ({ principal }, { access }, tenantId) => permitInTenant(app, principal, access, tenantId),
    permitOn: ({ principal }, { access }, { params, body, tenantId }) =>
      permitOn(
        app,
        principal,
        access,
        (at) => (({ ...(body as object), ...(params as object) }) as Record<string, unknown>)[at],
        tenantId,
      ),
    attempts: {
      check: (request, definition) => attempts.check(attemptKey(request, definition)),
      count: (request, definition) => attempts.count(attemptKey(request, definition)),
    },
  }
}
