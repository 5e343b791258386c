import type { IncomingMessage } from 'node:http'
import { id } from '../../shared/contract/fields.ts'
import type { Authenticate } from '../auth/authenticate.ts'
import { writeSessionCookie } from '../auth/cookie.ts'
import { deviceAccessParameters, deviceAccessPath } from '../auth/logon-token.ts'
import type { App } from '../call.ts'
import { AppError, unauthorized } from '../errors.ts'
import { sendError } from '../http/web/error-handler.ts'
import type { Response } from '../http/web/response.ts'
import type { Site } from '../http/web/site.ts'
import type { Endpoint } from '../http/web/upgrade.ts'

interface DeviceAccessOptions {
  authenticate: Authenticate
  site: Site
}

const style = 'body{font:1rem/1.5 system-ui;max-width:32rem;margin:20vh auto;padding:0 1rem;color-scheme:light dark}'

/** All text is ours: nothing of the request is in it. */
const page = (text: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<title>This link does not work</title><style>${style}</style><h1>This link does not work</h1><p>${text}</p></html>\n`

/** A page for people, a problem for programs. */
function refuse({ log }: App, request: IncomingMessage, response: Response, error: unknown) {
  if (!(error instanceof AppError) || error.status !== 401 || !request.headers.accept?.includes('text/html')) {
    sendError(response, error, log)
    return
  }
  response.writeHead(error.status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
  response.end(page(error.message))
}

/**
 * The address of links with a logon token: signs in and redirects to the device, at an address without the token.
 * Somebody who is signed in already gets there without one.
 */
export const createDeviceAccess = (app: App, { authenticate, site }: DeviceAccessOptions): Endpoint => ({
  path: deviceAccessPath,
  async request(request, response) {
    try {
      site.checkHost(request)
      // Not HEAD: programs that check links before people open them must not use them up.
      if (request.method !== 'GET') {
        throw new AppError(405, 'Use GET.', { headers: { allow: 'GET' } })
      }
      const principal = await authenticate(request)
      const deviceId = id.safeParse(deviceAccessParameters(request).deviceId).data
      if (!principal || deviceId === undefined) {
        throw unauthorized('This link is not complete. Ask for a new one, or sign in.')
      }
      if (principal.credential.kind === 'LogonToken' && principal.credential.cookie !== undefined) {
        writeSessionCookie(request, response, principal.credential.cookie)
      }
      response.writeHead(303, { location: `/devices/${deviceId}`, 'cache-control': 'no-store' })
      response.end()
    } catch (error) {
      refuse(app, request, response, error)
    }
  },
})
