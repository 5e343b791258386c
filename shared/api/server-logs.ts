import { z } from 'zod'
import { dto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'

export const DashboardUrlResponseDto = dto('DashboardUrlResponseDto', {
  isConfigured: z
    .boolean()
    .describe('Whether the configuration names a telemetry dashboard; otherwise `aspireUrl` is null.'),
  aspireUrl: z.string().nullable().describe('Opens the telemetry dashboard, signed in.'),
})

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
