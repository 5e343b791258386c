import { z } from 'zod'

const count = z.number().int().min(0)

/** Counts over all tenants. */
export const ServerStatsDto = z
  .object({
    totalTenants: count.describe('Tenants on this server.'),
    onlineAgents: count.describe('Devices whose agent is connected now.'),
    totalAgents: count.describe('Registered devices, connected or not.'),
    onlineUsers: count.describe('People with a viewer open.'),
    totalUsers: count.describe('User accounts, external ones included.'),
  })
  .meta({ id: 'ServerStatsDto' })
export type ServerStatsDto = z.output<typeof ServerStatsDto>
