import { defineRoutes } from '../contract/route.ts'
import { ServerAlertRequestDto, ServerAlertResponseDto } from '../dtos/server-alert.ts'

export const serverAlert = defineRoutes('ServerAlert', {
  get: {
    method: 'GET',
    path: '/api/v1/server-alert',
    summary: 'The message of the administrators to everybody',
    access: 'authenticated',
    tenant: 'none',
    response: ServerAlertResponseDto,
  },
  set: {
    method: 'POST',
    path: '/api/v1/server-alert',
    summary: 'Replace the message of the administrators',
    access: { permission: 'server.settings.write', on: 'server' },
    tenant: 'none',
    body: ServerAlertRequestDto,
    response: ServerAlertResponseDto,
  },
})
