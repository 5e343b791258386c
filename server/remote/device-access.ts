import type { IncomingMessage } from 'node:http'
import { id } from '../../shared/contract/fields.ts'
import { deviceAccessParameters, deviceAccessPath } from '../../shared/device-access.ts'
import type { Authenticate } from '../credentials/authenticate.ts'
import { sessionOf, writeSessionCookie } from '../credentials/cookie.ts'
import { pageKeyOf } from '../credentials/page-key.ts'
import type { App } from '../call/call.ts'
import { AppError, badRequest, unauthorized } from '../ground/errors.ts'
import { queryOf } from '../engines/http/contract/input.ts'
import { sendError } from '../engines/http/web/error-handler.ts'
import type { Response } from '../engines/http/web/response.ts'
import type { Origins } from '../engines/http/web/origins.ts'
import type { Endpoint } from '../engines/http/web/upgrade.ts'

interface DeviceAccessOptions {
  authenticate: Authenticate
  origins: Origins
}

/** Opens the link of a request. Browsers open links without the page key, so a session without its key counts, too. */
async function open(app: App, authenticate: Authenticate, request: IncomingMessage, response: Response) {
  const principal = await authenticate(request)
  const deviceId = id.safeParse(deviceAccessParameters(queryOf(request)).deviceId).data
  if ((!principal && !sessionOf(app, request)) || deviceId === undefined) {
    throw unauthorized('This link is incomplete. Ask for a new one, or sign in.')
  }
  if (principal?.credential.kind === 'LogonToken' && principal.credential.cookie !== undefined) {
    writeSessionCookie(request, response, principal.credential.cookie)
  }
  return deviceId
}

/**
 * Endpoint of links with a logon token. A browser gets our page, which redeems the link with a POST: programs that check
 * links before people open them send a GET, and run no script. Any other program signs in with its GET, as the interface
 * says, and is redirected to the device, at an address without the token. A signed-in visitor who may open the device is
 * redirected without a token.
 */
export const createDeviceAccess = (app: App, { authenticate, origins }: DeviceAccessOptions): Endpoint => ({
  path: deviceAccessPath,
  isPage: ({ method, headers }) => method === 'GET' && headers.accept?.includes('text/html') === true,
  async request(request, response) {
    try {
      origins.checkHost(request)
      if (request.method !== 'GET' && request.method !== 'POST') {
        throw new AppError(405, 'Use GET.', { headers: { allow: 'GET, POST' } })
      }
      if (request.method === 'POST') {
        origins.checkOrigin(request)
        if (pageKeyOf(request) === undefined) {
          throw badRequest('Only the page of this server redeems a link with POST. Use GET.')
        }
      }
      const deviceId = await open(app, authenticate, request, response)
      const headers = { 'cache-control': 'no-store' }
      if (request.method === 'POST') {
        response.writeHead(204, headers)
      } else {
        response.writeHead(303, { location: `/devices/${deviceId}`, ...headers })
      }
      response.end()
    } catch (error) {
      sendError(response, error, app.log)
    }
  },
})
