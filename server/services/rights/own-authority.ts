import type { Transaction } from 'sequelize'
import type { PermissionName } from '../../../shared/access.ts'
import type { App } from '../../call.ts'
import type { Principal } from '../../principal.ts'
import { badRequest } from '../../errors.ts'
import { evaluator, type Resource } from '../../policies/evaluate.ts'

/** What nobody may take from themselves: a tenant or a server must keep an administrator. */
export const guardedPermissions: readonly PermissionName[] = [
  'server.permissions.write',
  'tenant.permissions.write',
  'tenant.permissions.deny',
]

/** Those of a user that its own rows and its groups' rows give it, as the transaction sees them. */
async function heldNow({ models }: App, transaction: Transaction, userId: string, tenantId: string) {
  const memberships = await models.UserGroupMember.findAll({ where: { userId }, transaction })
  const rules = await models.PermissionAssignment.findAll({
    where: {
      principalId: [userId, ...memberships.map(({ groupId }) => groupId)],
      permissionName: [...guardedPermissions],
    },
    transaction,
  })
  const resourceOf = (name: PermissionName): Resource =>
    name.startsWith('server.') ? { kind: 'Server' } : { kind: 'Tenant', tenantId }
  return guardedPermissions.filter((name) => evaluator(rules, name)(resourceOf(name)))
}

/**
 * Does a piece of work inside a transaction; throws 400, and rolls it back, when the principal would lose a guarded
 * permission by it: by deleting, editing or replacing a row, by a deny, by leaving a group.
 */
export async function keepingOwnAuthority<T>(
  app: App,
  transaction: Transaction,
  { kind, id, tenantId }: Principal,
  work: () => Promise<T>,
): Promise<T> {
  if (kind !== 'User' || tenantId === null) {
    return work()
  }
  const before = await heldNow(app, transaction, id, tenantId)
  const result = await work()
  const after = await heldNow(app, transaction, id, tenantId)
  const lost = before.filter((name) => !after.includes(name))
  if (lost.length > 0) {
    throw badRequest(`This would take ${lost.join(' and ')} from yourself. Ask another administrator to do it.`)
  }
  return result
}
