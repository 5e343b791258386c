import { z } from 'zod'
import { dto, id, listDto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { InstallerKeyResponseDto } from '../dtos/installer-key.ts'
import { RegisterDeviceRequestDto } from './agent-devices.ts'

export const CheckInstallerKeyDto = dto('CheckInstallerKeyDto', {
  installerKeyId: id.meta({ description: 'Id of the installer key.' }),
  installerKeySecret: RegisterDeviceRequestDto.shape.installerKeySecret.meta({ description: 'Secret of that key.' }),
  tenantId: id.nullish().meta({ description: 'Tenant that the device is to join; null takes that of the key.' }),
})
export type CheckInstallerKeyDto = z.output<typeof CheckInstallerKeyDto>

export const StoppedInstallerKeyDto = dto('StoppedInstallerKeyDto', {
  keyId: id.describe('The key, as listed by `GET /api/v1/installer-keys`.'),
  reason: z
    .enum(['creator-disabled', 'creator-deleted', 'creator-may-not-install'])
    .describe('What became of the account that made the key.'),
})
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
    limitedAttempts: 'guesses',
  },
  ended: {
    method: 'GET',
    path: '/api/appliance/v1/installer-keys/ended',
    summary: 'Installer keys that are used up or expired, newest first',
    access: { permission: 'installer-key.read', on: 'tenant' },
    tenant: 'queryOrClaim',
    response: listDto('EndedInstallerKeyListDto', InstallerKeyResponseDto, 'At most the 200 that were created last.'),
  },
  stopped: {
    method: 'GET',
    path: '/api/appliance/v1/installer-keys/stopped',
    summary: 'Installer keys that have not ended, but register nothing because of the account that made them',
    access: { permission: 'installer-key.read', on: 'tenant' },
    tenant: 'queryOrClaim',
    response: listDto('StoppedInstallerKeyListDto', StoppedInstallerKeyDto, 'Keys, oldest first; not paged.'),
  },
})
