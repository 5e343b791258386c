import { z } from 'zod'

const count = z.number().int().min(0)

/** Counts over all tenants. */
export const ServerStatsDto = z
  .object({
    totalTenants: count,
    onlineAgents: count,
    totalAgents: count,
    onlineUsers: count.meta({ description: 'People with a viewer open.' }),
    totalUsers: count,
  })
  .meta({ id: 'ServerStatsDto' })
export type ServerStatsDto = z.output<typeof ServerStatsDto>
