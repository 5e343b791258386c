import { applianceHealth } from '../../shared/api/appliance-health.ts'
import { diagnostics } from '../services/health/diagnostics.ts'
import { healthReport } from '../services/health/report.ts'
import { implement } from './implement.ts'

export const applianceHealthRoutes = implement(applianceHealth, {
  report: ({ app }) => healthReport(app),
  diagnostics: (call) => diagnostics(call),
})
