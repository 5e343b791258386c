import { randomUUID } from 'node:crypto'
import { UniqueConstraintError, type Transaction } from 'sequelize'
import type { ProviderAnswerDto } from '../../../shared/dtos/identity-provider.ts'
import type { RouteCall } from '../../call.ts'
import { conflict, notFound } from '../../errors.ts'
import type { ProviderPlace } from '../../identity-providers/index.ts'
import { rowOf } from '../../models/entity.ts'
import type { ExternalLoginRow } from '../../models/external-login.ts'
import { keptOf } from '../../principal.ts'
import { notifyCaller } from '../rights/notices.ts'
import { sendFactorChange } from './account-mail.ts'
import { changeCredentials } from './changed-credentials.ts'
import { beginVisit, endVisit, labelAt, type PlacedIdentity } from './external-identities.ts'
import { requireWayIn } from './ways-in.ts'

/** Row of an account at a provider that signs in as a user. */
export const newLogin = (
  { place, issuer, subject, name }: PlacedIdentity,
  userId: string,
  createdAt: number,
): ExternalLoginRow => ({
  id: randomUUID(),
  userId,
  provider: place,
  issuer,
  subject,
  name,
  createdAt,
  lastUsedAt: null,
})

export async function listLogins({ app: { models }, principal }: RouteCall): Promise<ExternalLoginRow[]> {
  const rows = await models.ExternalLogin.findAll({ where: { userId: principal.id }, order: ['provider'] })
  return rows.map(rowOf)
}

const recordLogin = (
  { app, actor }: RouteCall,
  transaction: Transaction,
  kind: 'account.provider-linked' | 'account.provider-unlinked',
  { id, name, provider }: ExternalLoginRow,
) =>
  app.audit.recordIn(transaction, actor, [
    { kind, target: { kind: 'key', id, name }, details: { provider: labelAt(app, provider) } },
  ])

const linkedAlready = () => conflict('You have linked an account of this provider. Unlink it first.')

/** Begins to link an account at a provider. */
export async function beginLink(call: RouteCall, place: ProviderPlace) {
  const { app, principal } = call
  if ((await app.models.ExternalLogin.count({ where: { userId: principal.id, provider: place } })) > 0) {
    throw linkedAlready()
  }
  return beginVisit(call, 'provider-link', place, principal.id)
}

/** Links an account at a provider. Ends every other credential of the user, like each change of factors. */
export async function linkLogin(
  call: RouteCall,
  place: ProviderPlace,
  answer: ProviderAnswerDto,
): Promise<ExternalLoginRow> {
  const { app, principal } = call
  const userId = principal.id
  const identity = await endVisit(call, 'provider-link', { place, userId, answer })
  const row = newLogin(identity, userId, app.clock.now())
  const together = async (transaction: Transaction) => {
    await app.models.ExternalLogin.create(row, { transaction })
    await recordLogin(call, transaction, 'account.provider-linked', row)
    await notifyCaller(call, transaction, { kind: 'login-linked', subject: row.name })
  }
  try {
    await changeCredentials(app, userId, {}, { kept: keptOf(principal), together })
  } catch (error) {
    throw error instanceof UniqueConstraintError
      ? conflict('This account is linked to a user already. Choose another account.')
      : error
  }
  sendFactorChange(call, `The ${labelAt(app, place)} account “${row.name}” was linked.`)
  return row
}

/** Unlinks an account, unless it is the last way in. Ends every other credential of the user. */
export async function unlinkLogin(call: RouteCall, id: string): Promise<void> {
  const { app, principal } = call
  let unlinked = ''
  const together = async (transaction: Transaction) => {
    const login = await app.models.ExternalLogin.findOne({ where: { id, userId: principal.id }, transaction })
    if (!login) {
      throw notFound('linked account')
    }
    unlinked = `The ${labelAt(app, login.provider)} account “${login.name}” was unlinked.`
    await login.destroy({ transaction })
    await requireWayIn(app, principal.id, transaction)
    await recordLogin(call, transaction, 'account.provider-unlinked', login)
    await notifyCaller(call, transaction, { kind: 'login-unlinked', subject: login.name })
  }
  await changeCredentials(app, principal.id, {}, { kept: keptOf(principal), together })
  sendFactorChange(call, unlinked)
}
