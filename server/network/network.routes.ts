import { applianceNetwork } from '../../shared/api/appliance-network.ts'
import { identityPath } from '../../shared/server-identity.ts'
import type { App } from '../call/call.ts'
import { implement } from '../surface/implement.ts'
import { AppError } from '../ground/errors.ts'
import { sendError } from '../engines/http/web/error-handler.ts'
import type { Site } from '../engines/http/web/site.ts'
import type { Endpoint } from '../engines/http/web/upgrade.ts'
import { authorityCrt, authorityPem, authorityProfile } from './authority-files.ts'
import { setOwnCertificate } from './certificate.ts'
import { firewallOf } from './firewall.ts'
import { setNetwork } from './network-settings.ts'
import { networkOverview, networkTrust } from './overview.ts'
import { testAddresses } from './self-test.ts'
import { describeServer } from './server-identity.ts'
import { servedPort } from './serving.ts'
import { askDevice, reportVisit, visitReport } from './visits.ts'

export const applianceNetworkRoutes = implement(applianceNetwork, {
  get: ({ app }) => networkOverview(app),
  set: async (call, { body }) => {
    await setNetwork(call, body)
    return networkOverview(call.app)
  },
  setCertificate: async (call, { body }) => {
    await setOwnCertificate(call, body)
    return networkOverview(call.app)
  },
  removeCertificate: async (call) => {
    await setOwnCertificate(call, undefined)
    return networkOverview(call.app)
  },
  firewall: async ({ app }) => firewallOf(await servedPort(app)),
  test: async ({ app }) => ({ items: await testAddresses(app) }),
  askDevice: (call) => askDevice(call),
  visit: (call, { params }) => ({ report: visitReport(call, params.visitId) }),
  reportVisit: (call, { body }) => reportVisit(call, call.remoteAddress, body),
  trust: ({ app }) => networkTrust(app),
  authority: ({ app }) => authorityPem(app),
  authorityFile: ({ app }) => authorityCrt(app),
  authorityProfile: ({ app }) => authorityProfile(app),
})

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
