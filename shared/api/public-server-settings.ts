import { z } from 'zod'
import { dto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'

export const PublicServerSettingsDto = dto('PublicServerSettingsDto', {
  isPublicRegistrationEnabled: z.boolean().describe('A new person may register now.'),
  disableDesktopPreview: z.boolean().describe('Whether previews of desktops are turned off for the whole server.'),
})

export const publicServerSettings = defineRoutes('PublicServerSettings', {
  get: {
    method: 'GET',
    path: '/api/v1/public-server-settings',
    summary: 'Settings that a visitor may know',
    access: 'anonymous',
    tenant: 'none',
    response: PublicServerSettingsDto,
    cacheSeconds: 60,
  },
})
