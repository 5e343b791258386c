import { z } from 'zod'
import { defineRoutes } from '../contract/route.ts'

export const DashboardUrlResponseDto = z
  .object({
    isConfigured: z.boolean(),
    aspireUrl: z.string().nullable().meta({ description: 'Opens the telemetry dashboard, signed in.' }),
  })
  .meta({ id: 'DashboardUrlResponseDto' })

export const serverLogs = defineRoutes('ServerLogs', {
  getDashboardUrl: {
    method: 'GET',
    path: '/api/v1/server-logs/get-dashboard-url',
    summary: 'Where the telemetry dashboard is',
    access: { permission: 'server.telemetry.read', on: 'server' },
    tenant: 'none',
    response: DashboardUrlResponseDto,
  },
})
