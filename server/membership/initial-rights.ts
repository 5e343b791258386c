import type { StartDto } from '../../shared/dtos/start.ts'
import { isDeviceRole } from '../../shared/roles.ts'
import { forbidden } from '../ground/errors.ts'
import { holds } from '../rights/rights.ts'
import { addToGroupsIn } from '../organization/groups.ts'
import type { Write } from '../assignments/assignment-writes.ts'
import { grantIn } from '../assignments/grants.ts'

/** Assignments and groups that a new person began with. */
export interface Started {
  assignmentIds: string[]
  groupIds: string[]
}

const wholeTenant = [{ scopeKind: 'Tenant' as const }]

/** Gives a new person roles and groups, with the authority that giving them later would need. */
export async function giveInitialRights(
  write: Write,
  userId: string,
  { roles, scopes, groupIds }: StartDto,
): Promise<Started> {
  const { app, principal, tenantId } = write
  if (roles.length > 0 && !holds(app, principal, 'tenant.permissions.write', tenantId)) {
    throw forbidden('Roles may only be given with the permission tenant.permissions.write.')
  }
  const principals = [{ principalKind: 'User' as const, principalId: userId }]
  const assignmentIds: string[] = []
  for (const role of roles) {
    const reached = isDeviceRole(role) ? scopes : wholeTenant
    const given = { principals, role, scopes: reached, effect: 'Allow', isEnabled: true } as const
    assignmentIds.push(...(await grantIn(write, given)))
  }
  await addToGroupsIn(write, userId, groupIds)
  return { assignmentIds, groupIds: [...groupIds] }
}
