import { defineRoutes } from '../contract/route.ts'
import { DiagnosticsDto, HealthReportDto } from '../dtos/health-report.ts'

const reader = { permission: 'server.telemetry.read', on: 'server' } as const

/** Health of the server, for its administrators. `/health` is for machines. */
export const applianceHealth = defineRoutes('Health', {
  report: {
    method: 'GET',
    path: '/api/appliance/v1/health-report',
    summary: 'Findings about disk, database, network and process, each with what to do',
    isStable: true,
    access: reader,
    tenant: 'none',
    response: HealthReportDto,
  },
  diagnostics: {
    method: 'GET',
    path: '/api/appliance/v1/health-report/diagnostics',
    summary: 'Report, settings, counts and log for a support request, without secrets',
    access: reader,
    tenant: 'none',
    response: DiagnosticsDto,
  },
})
