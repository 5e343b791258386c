import { serverStats } from '../../shared/api/server-stats.ts'
import { implement } from './implement.ts'

export const serverStatsRoutes = implement(serverStats, { get: ({ app }) => app.stats.current() })
