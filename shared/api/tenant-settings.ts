import { z } from 'zod'
import { defineRoutes } from '../contract/route.ts'
import { NamedSettingRequestDto, NamedSettingResponseDto, settingName } from '../dtos/named-setting.ts'
import { TenantSettingsDto, TenantSettingsRequestDto } from '../dtos/tenant-setting.ts'

const params = z.object({
  settingName: settingName.describe('Name of the setting, such as `instance-id`; 1 to 256 characters.'),
})
const read = { permission: 'tenant.settings.read', on: 'tenant' } as const
const write = { permission: 'tenant.settings.write', on: 'tenant' } as const

export const tenantSettings = defineRoutes('TenantSettings', {
  getAll: {
    method: 'GET',
    path: '/api/v1/tenant-settings',
    summary: 'All settings of the tenant',
    access: read,
    tenant: 'query',
    response: TenantSettingsDto,
  },
  get: {
    method: 'GET',
    path: '/api/v1/tenant-settings/:settingName',
    summary: 'One setting as it is stored; 204 when it is not set',
    access: read,
    tenant: 'query',
    params,
    response: NamedSettingResponseDto.optional(),
  },
  set: {
    method: 'POST',
    path: '/api/v1/tenant-settings',
    summary: 'Set one setting; a blank value removes it, and names that are not listed are kept as they are',
    access: write,
    tenant: 'query',
    body: NamedSettingRequestDto,
    response: NamedSettingResponseDto,
  },
  replaceAll: {
    method: 'PUT',
    path: '/api/v1/tenant-settings',
    summary: 'Replace all settings of the tenant',
    access: write,
    tenant: 'query',
    body: TenantSettingsRequestDto,
    response: TenantSettingsDto,
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/tenant-settings/:settingName',
    summary: 'Remove a setting, set or not',
    access: write,
    tenant: 'query',
    params,
  },
})
