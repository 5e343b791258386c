import { instant } from '../ground/instant.ts'
import { applianceHealth } from '../../shared/api/appliance-health.ts'
import { applianceStatus } from '../../shared/api/appliance-status.ts'
import { serverLogs } from '../../shared/api/server-logs.ts'
import { serverStats as group } from '../../shared/api/server-stats.ts'
import { deploymentOf } from '../agents/deployment-options.ts'
import { implement } from '../surface/implement.ts'
import { describePrincipal } from '../identity/describe-principal.ts'
import { isSecondFactorMissing, secondFactorDueAt } from '../people/unfinished-account.ts'
import { heldPermissions, holds } from '../rights/rights.ts'
import type { Config } from '../settings/config.ts'
import { diagnostics } from './diagnostics.ts'
import { healthReport } from './report.ts'
import { storageState } from './server-state.ts'
import { serverStats } from './server-stats.ts'

export const applianceHealthRoutes = implement(applianceHealth, {
  report: ({ app }) => healthReport(app),
  diagnostics: (call) => diagnostics(call),
})

export const applianceStatusRoutes = implement(applianceStatus, {
  get: async ({ app, principal }) => ({
    version: app.version,
    startedAt: instant(app.startedAt),
    storage: await storageState(app),
    isApart: app.cluster?.isAlone ?? false,
    secretStore: app.secretStore,
    dataDirectory: holds(app, principal, 'server.telemetry.read') ? app.config.dataDirectory : null,
  }),
  permissions: ({ app, principal }) => {
    const dueAt = secondFactorDueAt(app, principal)
    return {
      items: heldPermissions(app, principal),
      missingSecondFactor:
        dueAt === null ? null : { requiredFrom: instant(dueAt), isRequired: isSecondFactorMissing(app, principal) },
    }
  },
  principal: (call) => describePrincipal(call),
  deployment: (call, { tenantId }) => deploymentOf(call, tenantId),
})

/** Default address of a dashboard on a developer's machine. */
const developmentUrl = 'http://localhost:18888'

function dashboardUrl({ telemetryDashboard: { publicWebUrl, token }, environment }: Config): string | null {
  if (publicWebUrl !== undefined && token !== undefined) {
    return `${publicWebUrl.replace(/\/+$/, '')}/login?t=${encodeURIComponent(token)}`
  }
  return environment === 'Development' ? developmentUrl : null
}

export const serverLogRoutes = implement(serverLogs, {
  getDashboardUrl: ({ app }) => {
    const aspireUrl = dashboardUrl(app.config)
    return { isConfigured: aspireUrl !== null, aspireUrl }
  },
})

export const serverStatsRoutes = implement(group, { get: serverStats })
