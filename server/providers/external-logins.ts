import { randomUUID } from 'node:crypto'
import { UniqueConstraintError, type Transaction } from 'sequelize'
import type { ProviderAnswerDto } from '../../shared/dtos/identity-provider.ts'
import type { RouteCall } from '../call/call.ts'
import { conflict, found } from '../ground/errors.ts'
import type { ProviderPlace } from './providers.ts'
import { rowOf } from '../engines/database/entity.ts'
import type { ExternalLoginRow } from './tables.ts'
import { keptOf } from '../ground/principal.ts'
import { notifyCaller } from '../people/notices.ts'
import { changeCredentials } from '../identity/changed-credentials.ts'
import { beginVisit, endVisit, labelAt, type PlacedIdentity } from './provider-visits.ts'
import { requireSignInMethod } from '../identity/sign-in-methods.ts'

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

/** Records a changed way to sign in, and notifies its user. */
async function noteChange(
  call: RouteCall,
  transaction: Transaction,
  change: 'linked' | 'unlinked',
  { id, name, provider }: ExternalLoginRow,
) {
  const { app, actor } = call
  const label = labelAt(app, provider)
  await app.audit.recordIn(transaction, actor, [
    { kind: `account.provider-${change}`, target: { kind: 'key', id, name }, details: { provider: label } },
  ])
  await notifyCaller(call, transaction, { kind: `provider-${change}`, subject: `${name} (${label})` })
}

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
    await noteChange(call, transaction, 'linked', row)
  }
  try {
    await changeCredentials(app, userId, {}, { kept: keptOf(principal), together })
  } catch (error) {
    throw error instanceof UniqueConstraintError
      ? conflict('This account is linked to a user already. Choose another account.')
      : error
  }
  return row
}

/** Unlinks an account, unless it is the last way in. Ends every other credential of the user. */
export async function unlinkLogin(call: RouteCall, id: string): Promise<void> {
  const { app, principal } = call
  const together = async (transaction: Transaction) => {
    const login = found(
      await app.models.ExternalLogin.findOne({ where: { id, userId: principal.id }, transaction }),
      'linked account',
    )
    await login.destroy({ transaction })
    await requireSignInMethod(app, principal.id, transaction)
    await noteChange(call, transaction, 'unlinked', login)
  }
  await changeCredentials(app, principal.id, {}, { kept: keptOf(principal), together })
}
