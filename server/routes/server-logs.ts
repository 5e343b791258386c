import { serverLogs } from '../../shared/api/server-logs.ts'
import type { Config } from '../config.ts'
import { implement } from './implement.ts'

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
