import type { IncomingMessage } from 'node:http'
import type { RouteDefinition } from '../../shared/contract/route.ts'
import { readSessionCookie, writeSessionCookie } from '../auth/cookie.ts'
import type { App, Context } from '../context.ts'
import { forbidden } from '../errors.ts'
import { createRateLimit } from '../http/rate-limit.ts'
import type { RemoteAddressOf } from '../http/request.ts'
import type { RouteHost } from '../http/router.ts'
import type { Site } from '../http/site.ts'
import { permit, permitOn } from '../policies/index.ts'

/** On routes that limit attempts, for each remote address. */
const attemptLimit = { limit: 20, windowMs: 60_000 }

interface HostOptions {
  isStrict: boolean
  remoteAddressOf: RemoteAddressOf
  site: Site
}

/** What the route engine asks of the product: who calls, and what they may do. */
export function createHost(app: App, { isStrict, remoteAddressOf, site }: HostOptions): RouteHost<Context> {
  const attempts = createRateLimit(app.clock, attemptLimit)
  const attemptKey = (request: IncomingMessage, { path }: RouteDefinition) => `${remoteAddressOf(request)} ${path}`
  return {
    log: app.log,
    isStrict,
    createContext(request, response) {
      site.checkHost(request)
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        site.checkOrigin(request)
      }
      return {
        app,
        principal: readSessionCookie(request, app.sessions, site),
        remoteAddress: remoteAddressOf(request),
        origin: site.originFor(request),
        setSession: (token, isPersistent) => writeSessionCookie(request, response, token, isPersistent),
      }
    },
    permit: ({ principal }, { access }) => permit(app, principal, access),
    reachTenant({ principal }, tenantId) {
      if (principal && principal.tenantId !== tenantId) {
        throw forbidden('This tenant is not yours.')
      }
    },
    permitOn: ({ principal }, { access }, { params }) =>
      permitOn(app, principal, access, (at) => (params as Record<string, unknown>)[at]),
    attempts: {
      check: (request, definition) => attempts.check(attemptKey(request, definition)),
      count: (request, definition) => attempts.count(attemptKey(request, definition)),
    },
  }
}
