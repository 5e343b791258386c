import { serverStats } from '../../shared/api/server-stats.ts'
import { keepJson } from '../json.ts'
import { implement } from './implement.ts'

export const serverStatsRoutes = implement(serverStats, {
  get: async ({ app }) => keepJson(await app.stats.current()),
})
