import { z } from 'zod'
import { flag, plainText, setting, typedSettings, typedSettingsRequest } from '../contract/named-settings.ts'

/** Part of folder and service names on devices. */
const instanceId = plainText(
  z
    .string()
    .trim()
    .max(64, { abort: true })
    .regex(/^[A-Za-z0-9._-]*$/, 'may hold letters, digits, ".", "_" and "-"')
    .refine((text) => !['default', '.', '..'].includes(text.toLowerCase()), 'must not be "default", "." or ".."'),
)

/** Settings that a tenant may fix for all its users; each may be left open. */
export const tenantSettingTable = {
  appendInstanceId: setting(
    'append-instance-id',
    flag,
    null,
    'Whether install commands name the instance of the tenant.',
  ),
  instanceId: setting(
    'instance-id',
    instanceId,
    null,
    'Part of folder and service names on devices, so that several agents fit on one: at most 64 letters, digits, `.`, `_` and `-`.',
  ),
  notifyUserOnSessionStart: setting(
    'notify-user-on-session-start',
    flag,
    null,
    'Whether the person at a device is told when a session starts; overrides the preference of every user.',
  ),
}

export const TenantSettingsDto = typedSettings(tenantSettingTable).meta({
  id: 'TenantSettingsDto',
  description: 'Null: not set.',
})
export type TenantSettingsDto = z.output<typeof TenantSettingsDto>

export const TenantSettingsRequestDto = typedSettingsRequest(tenantSettingTable).meta({
  id: 'TenantSettingsRequestDto',
  description: 'Replaces all settings of the tenant that are listed here; null or missing: not set.',
})
export type TenantSettingsRequestDto = z.output<typeof TenantSettingsRequestDto>
