import type { IncomingMessage } from 'node:http'
import { id } from '../../shared/contract/fields.ts'
import { claimFragment } from '../../shared/page-key.ts'
import type { Authenticate } from '../auth/authenticate.ts'
import { sessionOf, writeSessionCookie } from '../auth/cookie.ts'
import { asksFirst, deviceAccessParameters, deviceAccessPath, wantsPage } from '../auth/logon-token.ts'
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

const style =
  ':root{color-scheme:light dark;color:CanvasText;background:Canvas}a{color:LinkText}' +
  'body{font:1rem/1.5 system-ui;max-width:32rem;margin:20vh auto;padding:0 1rem}' +
  'button{font:inherit;padding:.25rem .75rem}'

/** Static page without any request data. Without a referrer, the form would send no origin. */
const page = (title: string, content: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<meta name="referrer" content="same-origin">` +
  `<title>${title}</title><style>${style}</style><h1>${title}</h1>${content}</html>\n`

const broken = (text: string) => page('This link does not work', `<p>${text}</p>`)

/**
 * Page with a form that posts to its own address, which has the link's token; the other choice leaves the link unused.
 */
const question = (deviceId: string) =>
  page(
    'You are signed in already',
    `<p>This link opens one device in a session of its own. To open it, this browser signs you out of your current ` +
      `session.</p><p><a href="/devices/${deviceId}">Stay signed in and open the device</a></p>` +
      `<form method="post"><button>Sign out and open the link</button></form>`,
  )

const deviceIdOf = (request: IncomingMessage) => id.safeParse(deviceAccessParameters(request).deviceId).data

/** Sends an error as a page to people, and as a problem document to programs. */
function refuse({ log }: App, request: IncomingMessage, response: Response, error: unknown) {
  const status = error instanceof AppError && wantsPage(request) ? error.status : undefined
  const deviceId = deviceIdOf(request)
  if (status === 401) {
    sendPage(response, status, broken((error as AppError).message))
  } else if (status === asksFirst && deviceId !== undefined) {
    sendPage(response, 200, question(deviceId))
  } else {
    sendError(response, error, log)
  }
}

function sendPage(response: Response, status: number, text: string) {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
  response.end(text)
}

/**
 * Endpoint of links with a logon token: signs in and redirects to the device, at an address without the token. A
 * signed-in visitor who may open the device is redirected without the token; others confirm with a POST before the link
 * replaces their session.
 */
export const createDeviceAccess = (app: App, { authenticate, site }: DeviceAccessOptions): Endpoint => ({
  path: deviceAccessPath,
  async request(request, response) {
    try {
      site.checkHost(request)
      // Rejects HEAD: link checkers that run before people open a link must not use it up.
      if (request.method !== 'GET' && request.method !== 'POST') {
        throw new AppError(405, 'Use GET.', { headers: { allow: 'GET, POST' } })
      }
      if (request.method === 'POST') {
        site.checkOrigin(request)
      }
      const principal = await authenticate(request)
      const deviceId = deviceIdOf(request)
      // Browsers open links without the page key, which the page behind this link sends.
      if ((!principal && !sessionOf(app, request)) || deviceId === undefined) {
        throw unauthorized('This link is incomplete. Ask for a new one, or sign in.')
      }
      let fragment = ''
      if (principal?.credential.kind === 'LogonToken' && principal.credential.cookie !== undefined) {
        const { cookie, claim } = principal.credential
        writeSessionCookie(request, response, cookie)
        // Browsers send a fragment to no server, and pages of other origins cannot read it.
        fragment = claim === undefined ? '' : claimFragment + claim
      }
      response.writeHead(303, { location: `/devices/${deviceId}${fragment}`, 'cache-control': 'no-store' })
      response.end()
    } catch (error) {
      refuse(app, request, response, error)
    }
  },
})
