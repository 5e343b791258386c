import { z } from 'zod'
import { dto } from '../contract/fields.ts'

const count = z.number().int().min(0)

/** Counts over all tenants. */
export const ServerStatsDto = dto('ServerStatsDto', {
  totalTenants: count.describe('Tenants on this server.'),
  onlineAgents: count.describe('Devices whose agent is connected now.'),
  totalAgents: count.describe('Registered devices, connected or not.'),
  onlineUsers: count.describe('People with a viewer open.'),
  totalUsers: count.describe('User accounts, external ones included.'),
})
export type ServerStatsDto = z.output<typeof ServerStatsDto>
