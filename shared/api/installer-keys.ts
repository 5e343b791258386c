import { z } from 'zod'
import { dateTime, dto, id, listDto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import {
  CreateInstallerKeyResponseDto,
  InstallerKeyResponseDto,
  InstallerKeyType,
  InstallerKeyUsageResponseDto,
} from '../dtos/installer-key.ts'
import { mostOf } from '../row-limits.ts'

const params = z.object({ keyId: id.describe('The key, by the `id` of `GET /api/v1/installer-keys`.') })
const friendlyName = z.string().trim().min(1).max(100)

/** Members of a key to make, without its tenant. */
export const NewKeyDto = z.object({
  keyType: InstallerKeyType.refine(
    (type) => type !== 'Unknown',
    'must be UsageBased, TimeBased or Persistent',
  ).describe(
    '`UsageBased` ends after `allowedUses` registrations or 24 hours, `TimeBased` at `expiration`, `Persistent` never.',
  ),
  friendlyName: friendlyName.nullish().describe('Label of 1 to 100 characters for people.'),
  allowedUses: z
    .number()
    .int()
    .min(1)
    .nullish()
    .describe('Number of registrations; required for `UsageBased`, ignored otherwise.'),
  expiration: dateTime
    .nullish()
    .describe('When a `TimeBased` key stops working; without it the key never works. Ignored for the others.'),
})

export type NewKeyDto = z.output<typeof NewKeyDto>

/** Requires the number of uses of a usage-based key. */
export const withUses = <Schema extends z.ZodType<NewKeyDto>>(schema: Schema) =>
  schema.refine(({ keyType, allowedUses }) => keyType !== 'UsageBased' || allowedUses != null, {
    path: ['allowedUses'],
    message: 'is required for a usage-based key',
  })

export const CreateInstallerKeyRequestDto = withUses(
  z.object({
    tenantId: id.describe('Tenant that devices registered with the key belong to.'),
    ...NewKeyDto.shape,
  }),
).meta({ id: 'CreateInstallerKeyRequestDto' })
export type CreateInstallerKeyRequestDto = z.output<typeof CreateInstallerKeyRequestDto>

export const installerKeys = defineRoutes('InstallerKeys', {
  create: {
    method: 'POST',
    path: '/api/v1/installer-keys',
    summary: 'Create a key that lets agents register; its secret is shown only here',
    problems: { 409: `The tenant has ${mostOf('valid installer keys')}.` },
    access: { permission: 'installer-key.write', on: 'tenant' },
    tenant: 'body',
    body: CreateInstallerKeyRequestDto,
    response: CreateInstallerKeyResponseDto,
  },
  list: {
    method: 'GET',
    path: '/api/v1/installer-keys',
    summary: 'Keys that still work',
    access: { permission: 'installer-key.read', on: 'tenant' },
    tenant: 'query',
    response: listDto(
      'InstallerKeyListResponseDto',
      InstallerKeyResponseDto,
      'Keys of the tenant that still work, oldest first; not paged.',
    ),
  },
  usages: {
    method: 'GET',
    path: '/api/v1/installer-keys/:keyId/usages',
    summary: 'Registrations that used a key',
    access: { permission: 'installer-key.read', on: 'tenant' },
    tenant: 'query',
    params,
    response: listDto(
      'InstallerKeyUsageListResponseDto',
      InstallerKeyUsageResponseDto,
      'The latest registrations with the key, newest first; not paged.',
    ),
  },
  rename: {
    method: 'PUT',
    path: '/api/v1/installer-keys/:keyId',
    summary: 'Rename a key',
    access: { permission: 'installer-key.write', on: 'tenant' },
    tenant: 'query',
    params,
    body: dto('RenameInstallerKeyRequestDto', {
      friendlyName: friendlyName.describe('New label of 1 to 100 characters.'),
    }),
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/installer-keys/:keyId',
    summary: 'Delete a key',
    access: { permission: 'installer-key.write', on: 'tenant' },
    tenant: 'query',
    params,
  },
})
