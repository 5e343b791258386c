import { z } from 'zod'
import { id } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { InstallerKeyResponseDto } from '../dtos/installer-key.ts'
import { RegisterDeviceRequestDto } from './agent-devices.ts'

export const CheckInstallerKeyDto = z
  .object({
    installerKeyId: id.meta({ description: 'Id of the installer key.' }),
    installerKeySecret: RegisterDeviceRequestDto.shape.installerKeySecret.meta({ description: 'Secret of that key.' }),
    tenantId: id.nullish().meta({ description: 'Tenant that the device is to join; null takes that of the key.' }),
  })
  .meta({ id: 'CheckInstallerKeyDto' })
export type CheckInstallerKeyDto = z.output<typeof CheckInstallerKeyDto>

export const StoppedInstallerKeyDto = z
  .object({
    keyId: id.describe('The key, as listed by `GET /api/v1/installer-keys`.'),
    reason: z
      .enum(['creator-disabled', 'creator-deleted', 'creator-may-not-install'])
      .describe('What became of the account that made the key.'),
  })
  .meta({ id: 'StoppedInstallerKeyDto' })
export type StoppedInstallerKeyDto = z.output<typeof StoppedInstallerKeyDto>

/** Check of an installer key, which installers request before any download, and the keys that have ended. */
export const applianceInstallerKeys = defineRoutes('InstallerKeyChecks', {
  check: {
    method: 'POST',
    path: '/api/appliance/v1/installer-keys/check',
    summary: 'Whether this installer key would admit a registration; does not count as a use',
    access: 'anonymous',
    tenant: 'none',
    body: CheckInstallerKeyDto,
    response: z.void(),
    status: 204,
    limitedAttempts: 'guesses',
  },
  ended: {
    method: 'GET',
    path: '/api/appliance/v1/installer-keys/ended',
    summary: 'Installer keys that are used up or expired, newest first',
    access: { permission: 'installer-key.read', on: 'tenant' },
    tenant: 'queryOrClaim',
    response: z
      .object({ items: z.array(InstallerKeyResponseDto).describe('At most the 200 that were created last.') })
      .meta({ id: 'EndedInstallerKeyListDto' }),
  },
  stopped: {
    method: 'GET',
    path: '/api/appliance/v1/installer-keys/stopped',
    summary: 'Installer keys that have not ended, but register nothing because of the account that made them',
    access: { permission: 'installer-key.read', on: 'tenant' },
    tenant: 'queryOrClaim',
    response: z
      .object({ items: z.array(StoppedInstallerKeyDto).describe('Keys, oldest first; not paged.') })
      .meta({ id: 'StoppedInstallerKeyListDto' }),
  },
})
