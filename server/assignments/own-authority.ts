import type { Transaction } from 'sequelize'
import type { PermissionName } from '../../shared/access.ts'
import type { App } from '../call/call.ts'
import type { Principal } from '../ground/principal.ts'
import { badRequest } from '../ground/errors.ts'
import { evaluator, type Resource } from '../rights/evaluate.ts'
import { lastingRules } from './assignment-ends.ts'

/** Permissions that no user may remove from themselves: a tenant or a server must keep an administrator. */
export const guardedPermissions: readonly PermissionName[] = [
  'server.permissions.write',
  'tenant.permissions.write',
  'tenant.permissions.deny',
]

/**
 * Guarded permissions that a user holds by its own rows and its groups' rows, read inside the transaction; without one, as
 * the last commit left them.
 */
async function heldNow(app: App, transaction: Transaction | null, userId: string, tenantId: string) {
  const { models } = app
  const memberships = await models.UserGroupMember.findAll({ where: { userId }, transaction })
  const found = await models.PermissionAssignment.findAll({
    where: {
      principalId: [userId, ...memberships.map(({ groupId }) => groupId)],
      permissionName: [...guardedPermissions],
    },
    transaction,
  })
  const rules = await lastingRules(app, transaction, found)
  const resourceOf = (name: PermissionName): Resource =>
    name.startsWith('server.') ? { kind: 'Server' } : { kind: 'Tenant', tenantId }
  return guardedPermissions.filter((name) => evaluator(rules, name)(resourceOf(name)))
}

/**
 * Runs `work` inside a transaction. Throws 400 and rolls back when the principal would lose a guarded permission: by a
 * deleted, edited or replaced row, by a denial, by leaving a group.
 */
export async function keepingOwnAuthority<T>(
  app: App,
  transaction: Transaction,
  principal: Principal,
  work: () => Promise<T>,
): Promise<T> {
  const { kind, id, tenantId } = principal
  if (kind !== 'User' || tenantId === null) {
    return work()
  }
  const result = await work()
  const after = await heldNow(app, transaction, id, tenantId)
  const missing = guardedPermissions.filter((name) => !after.includes(name))
  const before = missing.length > 0 ? await heldNow(app, null, id, tenantId) : []
  const lost = missing.filter((name) => before.includes(name))
  if (lost.length > 0) {
    throw badRequest(`This would take ${lost.join(' and ')} from yourself. Ask another administrator to do it.`)
  }
  return result
}
