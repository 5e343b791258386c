import { applianceHome } from '../../shared/api/appliance-home.ts'
import { implement } from '../surface/implement.ts'
import { holds } from '../rights/rights.ts'
import { changesFor } from './changes.ts'
import { failedSignIns } from './failed-sign-ins.ts'
import { fleetGlance } from './fleet-glance.ts'
import { serverFindings } from './server-findings.ts'

export const applianceHomeRoutes = implement(applianceHome, {
  fleet: (call, { devices }) => fleetGlance(call, devices),
  server: (call) => serverFindings(call),
  changes: (call, { query: { after } }) => changesFor(call, after === undefined ? undefined : Date.parse(after)),
  signIns: ({ app, principal }, { tenantId }) =>
    failedSignIns(app, holds(app, principal, 'appliance.audit.read') ? undefined : tenantId),
})
