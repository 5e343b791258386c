import { z } from 'zod'
import { id } from '../contract/fields.ts'
import { isDeviceRole } from '../roles.ts'
import { ScopeKind } from './permission-assignment.ts'
import { RoleNameField } from './rights.ts'

/** Roles and groups that a new person begins with. */
export const StartDto = z
  .object({
    roles: z
      .array(RoleNameField)
      .max(10)
      .default([])
      .describe('Roles to give: those on devices at `scopes`, others in the whole tenant.'),
    scopes: z
      .array(
        z.object({
          scopeKind: ScopeKind.describe('Kind of thing.'),
          scopeId: id.nullish().describe('The thing; null or left out for Tenant.'),
        }),
      )
      .max(100)
      .default([])
      .describe('Things that the roles on devices reach, at most 100; required with such a role.'),
    groupIds: z.array(id).max(50).default([]).describe('User groups that the person joins, at most 50.'),
  })
  .refine(({ roles, scopes }) => scopes.length > 0 || !roles.some(isDeviceRole), {
    message: 'is required with a role on devices',
    path: ['scopes'],
  })
  .meta({ id: 'StartDto' })
export type StartDto = z.output<typeof StartDto>
