import { z } from 'zod'
import { id } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { PrincipalKind, ScopeKind } from '../dtos/permission-assignment.ts'

export const EffectivePermissionQuery = z.object({
  principalKind: PrincipalKind.refine(
    (kind) => kind === 'User' || kind === 'UserGroup' || kind === 'ServiceAccount',
    'must be User, UserGroup or ServiceAccount',
  ),
  permissionName: z.string().trim().min(1).max(150),
  scopeKind: ScopeKind.default('Tenant'),
  scopeId: id.optional().meta({ description: 'The thing that is asked about; not for Server and Tenant.' }),
})
export type EffectivePermissionQuery = z.output<typeof EffectivePermissionQuery>

export const EffectivePermissionResponseDto = z
  .object({
    isAllowed: z.boolean(),
    denyReason: z.string().nullable().meta({ description: 'A sentence for people; null when allowed.' }),
  })
  .meta({ id: 'EffectivePermissionResponseDto' })
export type EffectivePermissionResponseDto = z.output<typeof EffectivePermissionResponseDto>

export const effectivePermissions = defineRoutes('EffectivePermissions', {
  get: {
    method: 'GET',
    path: '/api/v1/effective-permissions/:principalId',
    summary: 'Whether a principal may do something, and if not, why',
    access: { permission: 'tenant.permissions.read', on: 'tenant' },
    tenant: 'query',
    params: z.object({ principalId: id }),
    query: EffectivePermissionQuery,
    response: EffectivePermissionResponseDto,
  },
})
