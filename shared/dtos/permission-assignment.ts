import { z } from 'zod'
import { type PresetName, presets } from '../access.ts'
import { createdAt, dto, id, nameEnum, ownId, spellingOf, textOrNull } from '../contract/fields.ts'

export const PrincipalKind = nameEnum('PrincipalKind', {
  User: 0,
  UserGroup: 1,
  ServiceAccount: 2,
  PersonalAccessToken: 3,
  LogonToken: 4,
})

const ScopeKindByName = nameEnum('ScopeKind', {
  Unknown: 0,
  Server: 1,
  Tenant: 2,
  CustomerTenant: 3,
  DeviceGroup: 4,
  Device: 5,
  UserGroup: 6,
})
const isCustomer = (value: unknown) => spellingOf(value) === 'customer'

/** Accepts `Customer` as an alias of `CustomerTenant`. */
export const ScopeKind = z
  .preprocess((value) => (isCustomer(value) ? 'CustomerTenant' : value), ScopeKindByName)
  .refine((kind) => kind !== 'Unknown', 'must be Server, Tenant, CustomerTenant, DeviceGroup, Device or UserGroup')

export const PermissionEffect = nameEnum('PermissionEffect', { Allow: 0, Deny: 1 })

const presetNames = Object.keys(presets) as PresetName[]
const inRightCase = (value: unknown) => {
  const text = spellingOf(value)
  return presetNames.find((name) => name.toLowerCase() === text) ?? value
}

/** A preset's name in any letter case. */
export const PresetNameField = z.preprocess(inRightCase, z.enum(presetNames)).meta({ id: 'PresetName' })

/** A permission, allowed or denied to a principal at one scope. */
export const PermissionAssignmentResponseDto = dto('PermissionAssignmentResponseDto', {
  id: ownId,
  principalKind: PrincipalKind.describe('Kind of principal that `principalId` names.'),
  principalId: id.describe('User, group, service account or token that gets the permission.'),
  permissionName: z.string().describe('A `name` of `GET /api/v1/permission-assignments/catalog`.'),
  effect: PermissionEffect.describe('A deny that reaches a thing overrides every allow.'),
  scopeKind: ScopeKind.describe('Kind of thing that the permission reaches.'),
  scopeId: id.nullable().describe('Null for the server.'),
  notes: textOrNull.describe('Free text of at most 500 characters; null when none was given.'),
  isEnabled: z.boolean().describe('What is disabled counts as if it were not there.'),
  createdAt,
})
export type PermissionAssignmentResponseDto = z.output<typeof PermissionAssignmentResponseDto>

/** A permission, described for administrators. */
export const PermissionCatalogEntryDto = dto('PermissionCatalogEntryDto', {
  name: z.string().describe('Sent as `permissionName`; never changes.'),
  displayName: z.string().describe('Short title of the permission, in English.'),
  categoryLabel: z.string().describe('Heading under which the page lists the permission.'),
  description: z.string().describe('One sentence on what its holder can do.'),
  allowedScopeKinds: z.array(ScopeKind).describe('Scopes that the permission can be assigned at.'),
  selfRemovable: z.boolean().describe('False: nobody may take this permission from themselves.'),
})

export const PermissionPresetDto = dto('PermissionPresetDto', {
  name: PresetNameField.describe('Sent in `presetNames`.'),
  permissions: z.array(z.string()).describe('Permissions that the preset assigns, by the `name` of the catalog.'),
})
