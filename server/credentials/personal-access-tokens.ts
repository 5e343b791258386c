import { randomUUID } from 'node:crypto'
import { Op, type Transaction } from 'sequelize'
import type { CreatePersonalAccessTokenRequestDto } from '../../shared/dtos/personal-access-token.ts'
import { formatKey } from './key-format.ts'
import { hashSecret, newSecret } from '../engines/secrets/hashes.ts'
import type { App, Call } from '../call/call.ts'
import { checkRowLimit } from '../call/check-row-limit.ts'
import { holds } from '../rights/rights.ts'
import { badRequest, forbidden, found } from '../ground/errors.ts'
import type { PersonalAccessTokenRow } from './tables.ts'
import { nameOfCaller } from '../people/names.ts'
import { keptOf } from '../ground/principal.ts'
import { notifyOwner, notifyUsers } from '../people/notices.ts'
import { recordChange } from '../rights/authorization-log.ts'
import type { Change } from '../rights/change.ts'
import { removeAssignmentsOf } from '../assignments/assignment-cleanup.ts'
import { checkMayMakeToken, tokenAssignments, type TokenOwner } from './personal-token-scopes.ts'
import { findOfTenant } from '../organization/tenant-rows.ts'

export type PersonalAccessToken = PersonalAccessTokenRow & { permissionCount: number }

/** Returns the calling user as owner. Throws 400 for service accounts, which have no tokens. */
export function ownTokens({ principal }: Call, tenantId: string): TokenOwner {
  if (principal.kind !== 'User') {
    throw badRequest('Only people have personal access tokens, and a service account is none.')
  }
  return { id: principal.id, tenantId }
}

/** Returns a user of the tenant as owner; throws 404. */
export async function tokensOfUser({ app, principal }: Call, tenantId: string, userId: string): Promise<TokenOwner> {
  const isOwn = principal.kind === 'User' && principal.id === userId
  if (isOwn && !holds(app, principal, 'personal-access-token.self.write', tenantId)) {
    throw forbidden('Your own access tokens need the permission personal-access-token.self.write.')
  }
  const { id } = await findOfTenant(app.models.User, 'user', tenantId, userId)
  return { id, tenantId }
}

const withMemory = ({ rules, personalAccessTokens }: App, row: PersonalAccessTokenRow): PersonalAccessToken => ({
  ...row,
  lastUsed: personalAccessTokens.lastUsedAt(row.id) ?? row.lastUsed,
  permissionCount: rules.of(row.id).length,
})

const about = (id: string, { tenantId }: TokenOwner): Pick<Change, 'targetType' | 'targetId' | 'tenantId'> => ({
  targetType: 'PersonalAccessToken',
  targetId: id,
  tenantId,
})

/** Token as stored in the log. */
const logged = ({ userId, name, permissionMode, madeWith }: PersonalAccessTokenRow) => ({
  userId,
  name,
  permissionMode,
  madeWith,
})

/** Tokens of a user, newest first. */
export async function listPersonalAccessTokens({ app }: Call, { id }: TokenOwner): Promise<PersonalAccessToken[]> {
  const rows = await app.models.PersonalAccessToken.findAll({
    where: { userId: id },
    order: [
      ['createdAt', 'DESC'],
      ['id', 'DESC'],
    ],
  })
  return rows.map((row) => withMemory(app, row.get({ plain: true })))
}

/** Token to create; `expiresAt` null for one without an end. */
type NewPersonalAccessToken = CreatePersonalAccessTokenRequestDto & { expiresAt?: number | null }

/** Creates a token; `plainText` is never returned again. */
export async function createPersonalAccessToken(
  call: Call,
  owner: TokenOwner,
  { name, permissionMode, scopes, expiresAt = null }: NewPersonalAccessToken,
): Promise<{ token: PersonalAccessToken; plainText: string }> {
  const { app } = call
  const secret = newSecret()
  const mode = permissionMode ?? (scopes ? 'Restricted' : 'InheritOwner')
  const row: PersonalAccessTokenRow = {
    id: randomUUID(),
    userId: owner.id,
    name,
    secretHash: hashSecret(secret),
    permissionMode: mode,
    createdAt: app.clock.now(),
    lastUsed: null,
    expiresAt,
    madeWith: checkMayMakeToken(call, owner, mode),
  }
  await app.database.write(async (transaction) => {
    const user = await findOfTenant(app.models.User, 'user', owner.tenantId, owner.id, transaction)
    // Checked again under the write lock: the principal may have been deleted, or rights changed.
    checkMayMakeToken(call, owner, row.permissionMode)
    const assignments = await tokenAssignments(call, owner, row, scopes ?? [], transaction)
    const { PersonalAccessToken } = app.models
    const valid = { userId: owner.id, expiresAt: { [Op.or]: [null, { [Op.gt]: row.createdAt }] } }
    await checkRowLimit('valid access tokens of a person', PersonalAccessToken, valid, transaction)
    await PersonalAccessToken.create(row, { transaction })
    await app.models.PermissionAssignment.bulkCreate(assignments, { transaction })
    await notifyUsers(call, transaction, [owner.id], { kind: 'access-token-created', subject: name })
    if (call.principal.id === owner.id) {
      await notifyOwner(app, transaction, user, {
        kind: 'own-token-created',
        subject: name,
        by: keptOf(call.principal),
      })
    }
    await recordChange(call, transaction, {
      actionType: 'credential-scope-set',
      ...about(row.id, owner),
      after: {
        ...logged(row),
        scopes: assignments.map(({ permissionName, scopeKind, scopeId }) => ({ permissionName, scopeKind, scopeId })),
      },
    })
  })
  return { token: withMemory(app, row), plainText: formatKey({ id: row.id, secret }) }
}

async function findToken({ models }: App, owner: TokenOwner, id: string, transaction: Transaction) {
  const token = await models.PersonalAccessToken.findOne({ where: { id, userId: owner.id }, transaction })
  return found(token, 'personal access token')
}

export async function renamePersonalAccessToken(
  { app, actor }: Call,
  owner: TokenOwner,
  id: string,
  name: string,
): Promise<PersonalAccessToken> {
  const row = await app.database.write(async (transaction) => {
    const token = await findToken(app, owner, id, transaction)
    await token.update({ name }, { transaction })
    await app.audit.recordIn(transaction, actor, [
      { kind: 'credential.token-renamed', tenantId: owner.tenantId, target: { kind: 'token', id, name } },
    ])
    return token.get({ plain: true })
  })
  return withMemory(app, row)
}

/** Deletes a token. The token is rejected from the moment this resolves. */
export async function deletePersonalAccessToken(call: Call, owner: TokenOwner, id: string): Promise<void> {
  const { app } = call
  await app.database.write(async (transaction) => {
    const token = await findToken(app, owner, id, transaction)
    await removeAssignmentsOf(call, transaction, [id])
    await token.destroy({ transaction })
    const user = await findOfTenant(app.models.User, 'user', owner.tenantId, owner.id, transaction)
    const { principal } = call
    const news = { kind: 'token-revoked', subject: token.name } as const
    await notifyOwner(app, transaction, user, { ...news, byName: nameOfCaller(call), by: keptOf(principal) })
    await recordChange(call, transaction, {
      actionType: 'credential-scope-removed',
      ...about(id, owner),
      before: logged(token.get({ plain: true })),
    })
  })
}
