import { defineRoutes } from '../contract/route.ts'
import { EffectiveUserPreferencesDto } from '../dtos/user-preference.ts'

export const effectiveUserPreferences = defineRoutes('EffectiveUserPreferences', {
  get: {
    method: 'GET',
    path: '/api/v1/effective-user-preferences',
    summary: 'Preferences that count for the caller, after what the tenant enforces',
    access: 'authenticated',
    tenant: 'query',
    response: EffectiveUserPreferencesDto,
  },
})
