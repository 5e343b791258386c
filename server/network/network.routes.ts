import { applianceNetwork } from '../../shared/api/appliance-network.ts'
import { implement } from '../surface/implement.ts'
import { authorityCrt, authorityPem, authorityProfile } from './authority-files.ts'
import { setOwnCertificate } from './certificate.ts'
import { firewallOf } from './firewall.ts'
import { setNetwork } from './network-settings.ts'
import { networkOverview, networkTrust } from './overview.ts'
import { testAddresses } from './self-test.ts'
import { servedPort } from './serving.ts'
import { askDevice, reportVisit, visitReport } from './device-test.ts'

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
