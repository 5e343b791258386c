import { z } from 'zod'
import { dto, id } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { PrincipalKind, ScopeKind } from '../dtos/permission-assignment.ts'

export const EffectivePermissionQuery = z.object({
  principalKind: PrincipalKind.refine(
    (kind) => kind === 'User' || kind === 'UserGroup' || kind === 'ServiceAccount',
    'must be User, UserGroup or ServiceAccount',
  ).describe('Kind of principal that `principalId` names.'),
  permissionName: z
    .string()
    .trim()
    .min(1)
    .max(150)
    .describe('A `name` of `GET /api/v1/permission-assignments/catalog`.'),
  scopeKind: ScopeKind.default('Tenant').describe('Kind of thing that is asked about.'),
  scopeId: id.optional().describe('The thing that is asked about; not for Server and Tenant.'),
})
export type EffectivePermissionQuery = z.output<typeof EffectivePermissionQuery>

export const EffectivePermissionResponseDto = dto('EffectivePermissionResponseDto', {
  isAllowed: z.boolean().describe('Whether the principal holds the permission there, groups and presets included.'),
  denyReason: z.string().nullable().describe('A sentence for people; null when allowed.'),
})
export type EffectivePermissionResponseDto = z.output<typeof EffectivePermissionResponseDto>

export const effectivePermissions = defineRoutes('EffectivePermissions', {
  get: {
    method: 'GET',
    path: '/api/v1/effective-permissions/:principalId',
    summary: 'Whether a principal may do something, and if not, why',
    access: { permission: 'tenant.permissions.read', on: 'tenant' },
    tenant: 'query',
    params: z.object({ principalId: id.describe('The user, user group or service account that is asked about.') }),
    query: EffectivePermissionQuery,
    response: EffectivePermissionResponseDto,
  },
})
