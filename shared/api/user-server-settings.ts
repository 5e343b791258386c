import { z } from 'zod'
import { dto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'

const setting = { method: 'GET', access: 'authenticated', tenant: 'none', cacheSeconds: 30 } as const

export const userServerSettings = defineRoutes('UserServerSettings', {
  fileUploadMaxSize: {
    ...setting,
    path: '/api/v1/user-server-settings/file-upload-max-size',
    summary: 'How large a transferred file may be',
    response: dto('FileUploadMaxSizeResponseDto', {
      maxFileSize: z.number().int().describe('Bytes; 0 or less: no limit.'),
    }),
  },
  decommissionStatus: {
    ...setting,
    path: '/api/v1/user-server-settings/decommission-status',
    summary: 'Whether this server tells its agents to uninstall themselves',
    response: dto('DecommissionStatusResponseDto', {
      isEnabled: z.boolean().describe('Whether agents are asked to uninstall themselves when they next report.'),
    }),
  },
})
