import { readSessionCookie, writeSessionCookie } from '../auth/cookie.ts'
import type { App, Context } from '../context.ts'
import { forbidden } from '../errors.ts'
import { createRateLimit } from '../http/rate-limit.ts'
import { ownOrigin, requestSite, type RemoteAddressOf } from '../http/request.ts'
import type { RouteHost } from '../http/router.ts'
import { permit, permitOn } from '../policies/index.ts'

/** The anonymous sign-in routes, for each remote address and path. */
const signInLimit = { limit: 20, windowMs: 60_000 }

interface HostOptions {
  isStrict: boolean
  remoteAddressOf: RemoteAddressOf
}

/** What the route engine asks of the product: who calls, and what they may do. */
export function createHost(app: App, { isStrict, remoteAddressOf }: HostOptions): RouteHost<Context> {
  const { publicUrl } = app.config.branding
  const publicHost = publicUrl && new URL(publicUrl).host
  const countRequest = createRateLimit(app.clock, signInLimit)
  return {
    log: app.log,
    isStrict,
    createContext(request, response) {
      if (request.method !== 'GET' && requestSite(request, publicHost) === 'foreign') {
        throw forbidden('This request comes from another site.')
      }
      return {
        app,
        principal: readSessionCookie(request, app.sessions, publicHost),
        remoteAddress: remoteAddressOf(request),
        origin: publicUrl?.replace(/\/$/, '') ?? ownOrigin(request),
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
    countRequest: (request) => countRequest(`${remoteAddressOf(request)} ${request.path.toLowerCase()}`),
  }
}
