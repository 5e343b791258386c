import type { Transaction } from 'sequelize'
import type { App } from '../context.ts'
import { conflict } from '../errors.ts'
import { evaluator, type Holder, type Rule } from '../policies/evaluate.ts'
import { rulesOfUser } from '../policies/rights.ts'

const administers = (rules: readonly Rule[], holder: Holder) =>
  evaluator(rules, 'server.permissions.write', holder)({ kind: 'Server' })

/**
 * Throws 409 when nobody could administer the server after some users have gone: no other user, and no enabled server
 * service account. Called in the transaction that deletes them, before it does.
 */
export async function keepAnAdministrator(app: App, transaction: Transaction, userIds: readonly string[]) {
  const isAdministrator = (id: string) => administers(rulesOfUser(app, id), 'User')
  if (!userIds.some(isAdministrator)) {
    return
  }
  const { User, ServiceAccount } = app.models
  const leaving = new Set(userIds)
  const accounts = await ServiceAccount.findAll({ where: { tenantId: null, isEnabled: true }, transaction })
  const users = await User.findAll({ where: { accountType: 'Interactive' }, attributes: ['id'], transaction })
  const isKept =
    accounts.some(
      ({ id, accessMode }) => accessMode === 'Unrestricted' || administers(app.rules.of(id), 'ServerServiceAccount'),
    ) || users.some(({ id }) => !leaving.has(id) && isAdministrator(id))
  if (!isKept) {
    throw conflict('Nobody else could administer this server: give somebody server.permissions.write first.')
  }
}
