import { z } from 'zod'
import { presets, type PresetName } from '../access.ts'
import { dateTime, id, nameEnum, spellingOf } from '../contract/fields.ts'

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
const isCustomer = (value: unknown) => typeof value === 'string' && value.toLowerCase() === 'customer'

/** `Customer` is read as well as `CustomerTenant`. */
export const ScopeKind = z
  .preprocess((value) => (isCustomer(value) ? 'CustomerTenant' : value), ScopeKindByName)
  .refine((kind) => kind !== 'Unknown', 'must be Server, Tenant, CustomerTenant, DeviceGroup, Device or UserGroup')

export const PermissionEffect = nameEnum('PermissionEffect', { Allow: 0, Deny: 1 })

const presetNames = Object.keys(presets) as PresetName[]
const inRightCase = (value: unknown) => presetNames.find((name) => name.toLowerCase() === spellingOf(value)) ?? value

/** A preset's name in any letter case. */
export const PresetNameField = z.preprocess(inRightCase, z.enum(presetNames)).meta({ id: 'PresetName' })

/** One permission that a principal is given, or denied, at one scope. */
export const PermissionAssignmentResponseDto = z
  .object({
    id,
    principalKind: PrincipalKind,
    principalId: id,
    permissionName: z.string(),
    effect: PermissionEffect.meta({ description: 'A deny that reaches a thing overrides every allow.' }),
    scopeKind: ScopeKind,
    scopeId: id.nullable().meta({ description: 'Null for the server.' }),
    notes: z.string().nullable(),
    isEnabled: z.boolean().meta({ description: 'What is disabled counts as if it were not there.' }),
    createdAt: dateTime,
  })
  .meta({ id: 'PermissionAssignmentResponseDto' })
export type PermissionAssignmentResponseDto = z.output<typeof PermissionAssignmentResponseDto>

/** A permission, for people who give it. */
export const PermissionCatalogEntryDto = z
  .object({
    name: z.string(),
    displayName: z.string(),
    categoryLabel: z.string(),
    description: z.string(),
    allowedScopeKinds: z.array(ScopeKind),
    selfRemovable: z.boolean().meta({ description: 'False: nobody may take this permission from themselves.' }),
  })
  .meta({ id: 'PermissionCatalogEntryDto' })
export type PermissionCatalogEntryDto = z.output<typeof PermissionCatalogEntryDto>

export const PermissionPresetDto = z
  .object({ name: PresetNameField, permissions: z.array(z.string()) })
  .meta({ id: 'PermissionPresetDto' })
