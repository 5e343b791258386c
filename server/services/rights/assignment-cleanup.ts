import { Op, type Transaction, type WhereOptions } from 'sequelize'
import type { App } from '../../context.ts'
import type { PermissionAssignmentRow } from '../../models/permission-assignment.ts'
import { loggedAssignment } from './assignment-writes.ts'
import { recordChanges, systemActor, type Actor } from './authorization-log.ts'

/**
 * Assignments of things that go. No foreign key can name "some principal" or "some scope", so whoever deletes one calls
 * these, in its own transaction and before the thing itself is deleted, and afterwards `app.rules.refresh` with the
 * principals that they return.
 */
async function removeWhere(
  app: App,
  transaction: Transaction,
  actor: Actor,
  where: WhereOptions<PermissionAssignmentRow>,
): Promise<string[]> {
  const found = await app.models.PermissionAssignment.findAll({ where, transaction })
  const rows = found.map((row) => row.get({ plain: true }))
  await app.models.PermissionAssignment.destroy({ where: { id: rows.map(({ id }) => id) }, transaction })
  await recordChanges(
    app,
    transaction,
    actor,
    rows.map((row) => ({
      actionType: 'permission-assignment-deleted',
      targetType: 'PermissionAssignment',
      targetId: row.id,
      tenantId: row.owningTenantId,
      before: loggedAssignment(row),
    })),
  )
  return [...new Set(rows.map(({ principalId }) => principalId))]
}

/** Ids of the tokens that go together with their owners. */
async function tokensOf({ models }: App, transaction: Transaction, userIds: readonly string[]): Promise<string[]> {
  const where = { userId: [...userIds] }
  const [accessTokens, logonTokens] = [
    await models.PersonalAccessToken.findAll({ where, attributes: ['id'], transaction }),
    await models.LogonToken.findAll({ where, attributes: ['id'], transaction }),
  ]
  return [...accessTokens, ...logonTokens].map((token) => token.get('id') as string)
}

/** Removes every assignment given to some principals, and to the tokens of those that are users. */
export async function removeAssignmentsOf(
  app: App,
  transaction: Transaction,
  principalIds: readonly string[],
  actor: Actor = systemActor,
): Promise<string[]> {
  const tokens = await tokensOf(app, transaction, principalIds)
  return removeWhere(app, transaction, actor, { principalId: [...principalIds, ...tokens] })
}

/** Removes every assignment whose scope is one of some customers, groups, devices or tenants. */
export const removeAssignmentsOn = (
  app: App,
  transaction: Transaction,
  scopeIds: readonly string[],
  actor: Actor = systemActor,
): Promise<string[]> => removeWhere(app, transaction, actor, { scopeId: [...scopeIds] })

/** Removes everything that was given inside a tenant or to somebody in it. */
export async function removeAssignmentsOfTenant(
  app: App,
  transaction: Transaction,
  tenantId: string,
  actor: Actor = systemActor,
): Promise<string[]> {
  const { User, UserGroup, ServiceAccount } = app.models
  const where = { tenantId }
  const users = await User.findAll({ where, attributes: ['id'], transaction })
  const groups = await UserGroup.findAll({ where, attributes: ['id'], transaction })
  const accounts = await ServiceAccount.findAll({ where, attributes: ['id'], transaction })
  const principals = [...users, ...groups, ...accounts].map((row) => row.get('id') as string)
  const tokens = await tokensOf(app, transaction, principals)
  return removeWhere(app, transaction, actor, {
    [Op.or]: [{ owningTenantId: tenantId }, { principalId: [...principals, ...tokens] }],
  })
}
