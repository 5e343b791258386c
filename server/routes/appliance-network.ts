import { applianceNetwork } from '../../shared/api/appliance-network.ts'
import { authorityCrt, authorityPem, authorityProfile } from '../services/network/authority-files.ts'
import { setOwnCertificate } from '../services/network/certificate.ts'
import { firewallOf } from '../services/network/firewall.ts'
import { networkOverview, networkTrust } from '../services/network/overview.ts'
import { testAddresses } from '../services/network/self-test.ts'
import { servedPort } from '../services/network/serving.ts'
import { setNetwork } from '../services/network/settings.ts'
import { askDevice, reportVisit, visitReport } from '../services/network/visits.ts'
import { implement } from './implement.ts'

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
