import { identityPath, type ServerIdentityDto } from '../../shared/server-identity.ts'
import type { App } from '../call/call.ts'
import { sendError } from '../engines/http/web/error-handler.ts'
import type { Origins } from '../engines/http/web/origins.ts'
import type { Endpoint } from '../engines/http/web/upgrade.ts'
import { AppError } from '../ground/errors.ts'
import { secureAddresses, serverName } from './addresses.ts'

/** Address limit of a statement. */
const mostAddresses = 64

/** Identity statement of this server, signed by its authority: its encrypted addresses in order of preference. */
async function describeServer(app: App): Promise<ServerIdentityDto> {
  const origins = new Set(secureAddresses(app).map((address) => new URL(address).origin))
  const releaseKeys = await app.releaseKeys.named()
  return (await app.tls()).statement([...origins].slice(0, mostAddresses), serverName(), releaseKeys)
}

/** Public endpoint of the server's identity statement, also served without TLS because the statement is signed. */
export function createIdentityEndpoint(app: App, { origins }: { origins: Origins }): Endpoint {
  return {
    path: identityPath,
    async request(request, response) {
      try {
        origins.checkHost(request)
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
