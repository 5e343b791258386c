import { defineRoutes } from '../contract/route.ts'
import { ServerStatsDto } from '../dtos/server-stats.ts'

export const serverStats = defineRoutes('ServerStats', {
  get: {
    method: 'GET',
    path: '/api/v1/server-stats',
    summary: 'How many tenants, agents and users there are, and who is online',
    access: { permission: 'server.telemetry.read', on: 'server' },
    tenant: 'none',
    response: ServerStatsDto,
  },
})
