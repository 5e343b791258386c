import { serverStats as group } from '../../shared/api/server-stats.ts'
import { serverStats } from '../services/appliance/server-stats.ts'
import { implement } from './implement.ts'

export const serverStatsRoutes = implement(group, { get: serverStats })
