import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import { dayMs } from '../../shared/durations.ts'
import type {
  CreateServerServiceAccountRequestDto,
  UpdateServiceAccountRequestDto,
} from '../../shared/dtos/service-account-requests.ts'
import type { App, Call, OpenCall } from '../call/call.ts'
import { checkRowLimit } from '../call/check-row-limit.ts'
import { forbidden, found, nameTaken, notFound } from '../ground/errors.ts'
import { rowOf } from '../engines/database/entity.ts'
import type { ServiceAccountRow, ServiceAccountCredentialRow } from './tables.ts'
import { checkAuthority } from './rights.ts'
import { restrictingTokenOf } from '../rights/restricting-token.ts'
import { askProofFor, askProofForHolder } from '../assignments/recent-proof.ts'
import { holds } from '../rights/rights.ts'
import { keepingAdministrators } from '../assignments/last-administrator.ts'
import { recordChange } from '../rights/authorization-log.ts'
import { removeAssignmentsOf } from '../assignments/assignment-cleanup.ts'
import { deleteWhere } from '../engines/database/delete-where.ts'

/** Owner of accounts: a tenant, or null for the server. */
export type Owner = string | null

export type ServiceAccount = ServiceAccountRow & { credentials: ServiceAccountCredentialRow[] }

const byAge = (a: ServiceAccountCredentialRow, b: ServiceAccountCredentialRow) =>
  a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)

async function withCredentials(app: App, accounts: readonly ServiceAccountRow[]): Promise<ServiceAccount[]> {
  const serviceAccountId = accounts.map(({ id }) => id)
  const found = await app.models.ServiceAccountCredential.findAll({ where: { serviceAccountId } })
  const rows = found.map((row) => row.get({ plain: true }))
  const byAccount = Map.groupBy(
    // The mirror is newer than the database.
    rows.map((row) => ({ ...row, lastUsedAt: app.apiKeys.lastUsedAt(row.id) ?? row.lastUsedAt })),
    (row) => row.serviceAccountId,
  )
  return accounts.map((account) => ({ ...account, credentials: byAccount.get(account.id)?.toSorted(byAge) ?? [] }))
}

/** Finds an account's row to change. Throws 404 also for an account of another owner. */
export async function findServiceAccount({ models }: App, owner: Owner, id: string, transaction?: Transaction) {
  const where = { id, tenantId: owner }
  const account = await models.ServiceAccount.findOne({ where, transaction })
  return found(account, 'service account')
}

/** Accounts by name, with their credentials, oldest first. */
export async function listServiceAccounts({ app }: OpenCall, owner: Owner): Promise<ServiceAccount[]> {
  const rows = await app.models.ServiceAccount.findAll({ where: { tenantId: owner } })
  const accounts = rows.map((row) => row.get({ plain: true }))
  return withCredentials(
    app,
    accounts.toSorted((a, b) => a.name.localeCompare(b.name, 'en') || (a.id < b.id ? -1 : 1)),
  )
}

export async function getServiceAccount({ app }: OpenCall, owner: Owner, id: string): Promise<ServiceAccount> {
  const account = await findServiceAccount(app, owner, id)
  const [complete] = await withCredentials(app, [account.get({ plain: true })])
  return complete!
}

async function refuseDuplicate({ models }: App, { tenantId, name, id }: ServiceAccountRow, transaction: Transaction) {
  const other = await models.ServiceAccount.findOne({ where: { tenantId, name }, transaction })
  if (other && other.id !== id) {
    throw nameTaken(`A ${tenantId === null ? 'server ' : ''}service account with that name already exists.`, other.id)
  }
}

/** Asks for a recent proof before a change of an account with management permissions, or of its keys. */
export function askProofForAccount(call: Call, { id, accessMode }: Pick<ServiceAccountRow, 'id' | 'accessMode'>): void {
  askProofFor(call, accessMode === 'Unrestricted' ? ['server.permissions.write'] : [])
  askProofForHolder(call, id)
}

/** Accounts of the server are ended by whoever may change them, as the interface says. */
function checkMayEnd({ app, principal }: Call, account: ServiceAccountRow): void {
  if (account.tenantId !== null) {
    checkAuthority(app, principal, account)
  }
}

type NewAccount = Pick<CreateServerServiceAccountRequestDto, 'name' | 'description' | 'accessMode'>

/** Empty descriptions are stored as null. */
const textOrNull = (text: string | null | undefined) => text?.trim() || null

/** Throws 409 for a taken name, and 403 for an unrestricted account without the permission to create one. */
export async function createServiceAccount(
  call: Call,
  owner: Owner,
  { name, description, accessMode }: NewAccount,
): Promise<ServiceAccount> {
  const { app, principal } = call
  if (accessMode === 'Unrestricted' && !holds(app, principal, 'server.permissions.write')) {
    throw forbidden('Unrestricted accounts may only be made with the permission server.permissions.write.')
  }
  const uses = [{ permission: 'server.permissions.write', on: { kind: 'Server' } }] as const
  if (accessMode === 'Unrestricted' && owner === null && restrictingTokenOf(app, principal, uses) !== null) {
    throw forbidden('A restricted token cannot make unrestricted accounts. Sign in to make one.')
  }
  if (accessMode === 'Unrestricted') {
    askProofFor(call, ['server.permissions.write'])
  }
  const account: ServiceAccountRow = {
    id: randomUUID(),
    tenantId: owner,
    name,
    description: textOrNull(description),
    isEnabled: true,
    accessMode,
    createdAt: app.clock.now(),
  }
  await app.database.write(async (transaction) => {
    if (owner !== null && !(await app.models.Tenant.findByPk(owner, { transaction }))) {
      throw notFound('tenant')
    }
    await refuseDuplicate(app, account, transaction)
    await checkRowLimit('service accounts', app.models.ServiceAccount, { tenantId: owner }, transaction)
    await app.models.ServiceAccount.create(account, { transaction })
    await recordChange(call, transaction, {
      actionType: 'service-account-created',
      targetType: 'ServiceAccount',
      targetId: account.id,
      tenantId: owner,
      after: account,
    })
  })
  return { ...account, credentials: [] }
}

/**
 * Throws 409 for a taken name, and for disabling the last administrator of the server or its tenant; 403 for disabling an
 * account of a tenant with management permissions that the caller lacks.
 */
export async function updateServiceAccount(
  call: Call,
  owner: Owner,
  id: string,
  { name, description, isEnabled }: UpdateServiceAccountRequestDto,
): Promise<ServiceAccount> {
  const { app } = call
  await app.database.write(async (transaction) => {
    const account = await findServiceAccount(app, owner, id, transaction)
    askProofForAccount(call, account)
    const before = rowOf(account)
    const after = {
      ...before,
      name,
      description: textOrNull(description),
      isEnabled: isEnabled ?? before.isEnabled,
    }
    if (after.isEnabled !== before.isEnabled) {
      checkMayEnd(call, before)
    }
    await refuseDuplicate(app, after, transaction)
    await keepingAdministrators(app, transaction, owner, () => account.update(after, { transaction }))
    await recordChange(call, transaction, {
      actionType: 'service-account-updated',
      targetType: 'ServiceAccount',
      targetId: id,
      tenantId: owner,
      before,
      after,
    })
  })
  return getServiceAccount(call, owner, id)
}

/**
 * Deletes an account with its credentials and rights. Throws 403 for the calling account itself and for one of a
 * tenant with management permissions that the caller lacks, and 409 for the last administrator of the server or its tenant.
 */
export async function deleteServiceAccount(call: Call, owner: Owner, id: string): Promise<void> {
  const { app, principal } = call
  await app.database.write(async (transaction) => {
    const account = await findServiceAccount(app, owner, id, transaction)
    if (principal.kind === 'ServiceAccount' && principal.id === id) {
      throw forbidden('An account may not delete itself.')
    }
    checkMayEnd(call, account)
    askProofForAccount(call, account)
    await keepingAdministrators(app, transaction, owner, async () => {
      await removeAssignmentsOf(call, transaction, [id])
      await account.destroy({ transaction })
    })
    await recordChange(call, transaction, {
      actionType: 'service-account-deleted',
      targetType: 'ServiceAccount',
      targetId: id,
      tenantId: owner,
      before: account.get({ plain: true }),
    })
  })
}

/** Deletes keys of service accounts the configured days after they were revoked or expired. */
export async function removeEndedCredentials({ app }: OpenCall): Promise<void> {
  const days = app.config.appOptions.serviceAccountCredentialCleanupAfterDays
  if (days > 0) {
    const ended = 'min(coalesce(revokedAt, expiresAt), coalesce(expiresAt, revokedAt)) < ?'
    await deleteWhere(app, 'service_account_credentials', ended, app.retentionClock.now() - days * dayMs)
  }
}

/** Drops expired keys and tokens from memory. The clock of the retention, because a clock set ahead may be corrected. */
export async function dropExpiredKeys({ app }: OpenCall): Promise<void> {
  const now = app.retentionClock.now()
  app.apiKeys.dropExpired(now)
  app.personalAccessTokens.dropExpired(now)
}
