import { Op, type Transaction } from 'sequelize'
import type { App } from '../../call.ts'
import { conflict } from '../../errors.ts'
import { evaluator, type Holder } from '../../policies/evaluate.ts'

const permissionName = 'server.permissions.write'

const nobodyElse = () =>
  conflict(
    `Nobody else could administer this server: give somebody ${permissionName}, or a service account a key, first.`,
  )

/** Enabled accounts of the server that somebody can use: with a credential that is neither revoked nor expired. */
async function usableAccounts({ models, clock }: App, transaction: Transaction) {
  const credentials = await models.ServiceAccountCredential.findAll({
    where: { revokedAt: null, expiresAt: { [Op.or]: [null, { [Op.gt]: clock.now() }] } },
    attributes: ['serviceAccountId'],
    transaction,
  })
  const id = credentials.map(({ serviceAccountId }) => serviceAccountId)
  return models.ServiceAccount.findAll({ where: { id, tenantId: null, isEnabled: true }, transaction })
}

/** Ids of the users and service accounts that can administer the server, as the transaction sees it. */
async function administratorsNow(app: App, transaction: Transaction): Promise<string[]> {
  const { PermissionAssignment, User, UserGroupMember } = app.models
  const rules = await PermissionAssignment.findAll({ where: { permissionName }, transaction })
  const byPrincipal = Map.groupBy(rules, ({ principalId }) => principalId)
  const administers = (principalIds: readonly string[], holder: Holder) =>
    evaluator(
      principalIds.flatMap((id) => byPrincipal.get(id) ?? []),
      permissionName,
      holder,
    )({ kind: 'Server' })

  const principals = [...byPrincipal.keys()]
  const memberships = await UserGroupMember.findAll({ where: { groupId: principals }, transaction })
  const byUser = Map.groupBy(memberships, ({ userId }) => userId)
  const users = await User.findAll({
    where: { id: [...principals, ...byUser.keys()], accountType: 'Interactive' },
    attributes: ['id'],
    transaction,
  })
  const accounts = await usableAccounts(app, transaction)
  return [
    ...users.filter(({ id }) => administers([id, ...(byUser.get(id) ?? []).map(({ groupId }) => groupId)], 'User')),
    ...accounts.filter(
      ({ id, accessMode }) => accessMode === 'Unrestricted' || administers([id], 'ServerServiceAccount'),
    ),
  ].map(({ id }) => id)
}

/**
 * Throws 409 when nobody could administer the server after some users or service accounts have gone. Called in the
 * transaction that deletes or disables them, before it does.
 */
export async function keepAnAdministrator(app: App, transaction: Transaction, leavingIds: readonly string[]) {
  const leaving = new Set(leavingIds)
  const administrators = await administratorsNow(app, transaction)
  if (administrators.length > 0 && administrators.every((id) => leaving.has(id))) {
    throw nobodyElse()
  }
}

/**
 * Does a piece of work inside a transaction; throws 409, and rolls it back, when nobody could administer the server
 * after it.
 */
export async function keepingAnAdministrator<T>(
  app: App,
  transaction: Transaction,
  work: () => Promise<T>,
): Promise<T> {
  const before = await administratorsNow(app, transaction)
  const result = await work()
  if (before.length > 0 && (await administratorsNow(app, transaction)).length === 0) {
    throw nobodyElse()
  }
  return result
}
