import { z } from 'zod'
import { defineRoutes } from '../contract/route.ts'
import { NamedSettingRequestDto, NamedSettingResponseDto, settingName } from '../dtos/named-setting.ts'
import { UserPreferencesDto, UserPreferencesRequestDto } from '../dtos/user-preference.ts'

export const userPreferences = defineRoutes('UserPreferences', {
  getAll: {
    method: 'GET',
    path: '/api/v1/user-preferences',
    summary: 'All preferences of the calling user; what they have not chosen has its default',
    access: 'authenticated',
    tenant: 'query',
    response: UserPreferencesDto,
  },
  get: {
    method: 'GET',
    path: '/api/v1/user-preferences/:name',
    summary: 'One preference as it is stored; 204 when it is not set',
    access: 'authenticated',
    tenant: 'query',
    whileSecondFactorMissing: true,
    params: z.object({
      name: settingName.describe('Name of the preference, such as `theme-mode`; 1 to 256 characters.'),
    }),
    response: NamedSettingResponseDto.optional(),
  },
  set: {
    method: 'POST',
    path: '/api/v1/user-preferences',
    summary: 'Set one preference; a blank value removes it, and names that are not listed are kept as they are',
    access: 'authenticated',
    tenant: 'query',
    body: NamedSettingRequestDto,
    response: NamedSettingResponseDto,
  },
  replaceAll: {
    method: 'PUT',
    path: '/api/v1/user-preferences',
    summary: 'Replace all preferences',
    access: 'authenticated',
    tenant: 'query',
    body: UserPreferencesRequestDto,
    response: UserPreferencesDto,
  },
})
