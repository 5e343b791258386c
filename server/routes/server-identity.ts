import { identityPath } from '../../shared/server-identity.ts'
import type { App } from '../call.ts'
import { AppError } from '../errors.ts'
import { sendError } from '../http/web/error-handler.ts'
import type { Site } from '../http/web/site.ts'
import type { Endpoint } from '../http/web/upgrade.ts'
import { describeServer } from '../services/appliance/server-identity.ts'

/** Public endpoint of the server's identity statement, also served without TLS because the statement is signed. */
export function createIdentityEndpoint(app: App, { site }: { site: Site }): Endpoint {
  return {
    path: identityPath,
    async request(request, response) {
      try {
        site.checkHost(request)
        if (request.method !== 'GET' && request.method !== 'HEAD') {
          throw new AppError(405, 'Use GET.', { headers: { allow: 'GET' } })
        }
        const body = JSON.stringify(await describeServer(app))
        response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
        response.end(request.method === 'HEAD' ? undefined : body)
      } catch (error) {
        sendError(response, error, app.log)
      }
    },
  }
}
