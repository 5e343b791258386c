import { Op, type Transaction, type WhereOptions } from 'sequelize'
import type { App, Call } from '../call/call.ts'
import type { PermissionAssignmentRow } from '../rights/tables.ts'
import { loggedAssignment } from './assignment-writes.ts'
import { recordChanges } from '../rights/authorization-log.ts'

type Author = Pick<Call, 'app' | 'actor'>

/**
 * Removes assignments of entities that are deleted. No foreign key can reference "any principal" or "any scope", so
 * every deletion calls these functions in its own transaction, before it deletes the entity itself.
 */
async function removeWhere(
  call: Author,
  transaction: Transaction,
  where: WhereOptions<PermissionAssignmentRow>,
): Promise<void> {
  const { PermissionAssignment } = call.app.models
  const found = await PermissionAssignment.findAll({ where, transaction })
  const rows = found.map((row) => row.get({ plain: true }))
  if (rows.length === 0) {
    return
  }
  await PermissionAssignment.destroy({ where: { id: rows.map(({ id }) => id) }, transaction })
  await recordChanges(
    call,
    transaction,
    rows.map((row) => ({
      actionType: 'permission-assignment-deleted',
      targetType: 'PermissionAssignment',
      targetId: row.id,
      tenantId: row.owningTenantId,
      before: loggedAssignment(row),
    })),
  )
}

/**
 * Ids of the tokens that are deleted with some principals: the tokens of users, and the tokens made with such a token.
 */
async function tokensOf({ models }: App, transaction: Transaction, principalIds: readonly string[]): Promise<string[]> {
  const userId = [...principalIds]
  const options = { attributes: ['id'], transaction }
  const own = await models.PersonalAccessToken.findAll({ where: { userId }, ...options })
  const madeWith = [...principalIds, ...own.map(({ id }) => id)]
  const made = await models.PersonalAccessToken.findAll({ where: { madeWith }, ...options })
  const links = await models.LogonToken.findAll({ where: { [Op.or]: [{ userId }, { madeWith }] }, ...options })
  return [...own, ...made, ...links].map(({ id }) => id)
}

/**
 * Removes every assignment of some principals and of their tokens, and every assignment made with such a token; those
 * in `kept` stay.
 */
export async function removeAssignmentsOf(
  call: Author,
  transaction: Transaction,
  principalIds: readonly string[],
  kept: readonly string[] = [],
): Promise<void> {
  const tokens = await tokensOf(call.app, transaction, principalIds)
  const ids = [...principalIds, ...tokens]
  await removeWhere(call, transaction, {
    [Op.or]: [{ principalId: ids }, { madeWith: ids }],
    ...(kept.length > 0 && { id: { [Op.notIn]: [...kept] } }),
  })
}

/** Removes every assignment scoped to one of some customers, groups, devices or tenants. */
export const removeAssignmentsOn = (
  call: Author,
  transaction: Transaction,
  scopeIds: readonly string[],
): Promise<void> => removeWhere(call, transaction, { scopeId: [...scopeIds] })

/** Removes every assignment inside a tenant, and every assignment of its principals. */
export async function removeAssignmentsOfTenant(
  call: Author,
  transaction: Transaction,
  tenantId: string,
): Promise<void> {
  const { User, UserGroup, ServiceAccount } = call.app.models
  const where = { tenantId }
  const users = await User.findAll({ where, attributes: ['id'], transaction })
  const groups = await UserGroup.findAll({ where, attributes: ['id'], transaction })
  const accounts = await ServiceAccount.findAll({ where, attributes: ['id'], transaction })
  const principals = [...users, ...groups, ...accounts].map(({ id }) => id)
  const tokens = await tokensOf(call.app, transaction, principals)
  await removeWhere(call, transaction, {
    [Op.or]: [{ owningTenantId: tenantId }, { principalId: [...principals, ...tokens] }],
  })
}
