import { randomUUID } from 'node:crypto'
import { literal, Op, type Transaction } from 'sequelize'
import { mapInSlices } from '../ground/clock.ts'
import { dayMs } from '../../shared/durations.ts'
import type { NewKeyDto } from '../../shared/api/installer-keys.ts'
import type { StoppedInstallerKeyDto } from '../../shared/api/appliance-installer-keys.ts'
import { hashSecret, newSecret, verifySecret } from '../engines/secrets/hashes.ts'
import type { App, Call, OpenCall } from '../call/call.ts'
import { checkRowLimit } from '../call/check-row-limit.ts'
import { AppError, found } from '../ground/errors.ts'
import type { InstallerKeyRow, InstallerKeyUsageRow } from './tables.ts'
import { checkTokenHolds, restrictingTokenOf } from '../rights/restricting-token.ts'
import { makerNow, type MakerNow } from '../rights/maker.ts'
import { holds, ruleSetsOf } from '../rights/rights.ts'
import type { Principal } from '../ground/principal.ts'
import { requireTenant } from '../organization/tenant-rows.ts'
import { deleteWhere } from '../engines/database/delete-where.ts'

const usagesPerRead = 1000

/** Condition of keys that are not used up, in a query of the model. */
const hasUsesLeft = literal(
  '(allowedUses IS NULL OR (SELECT count(*) FROM installer_key_usages WHERE keyId = installer_keys.id) < allowedUses)',
)

const eventOf = (action: 'created' | 'renamed' | 'deleted', { id, friendlyName, tenantId }: InstallerKeyRow) =>
  ({
    kind: `credential.installer-key-${action}`,
    tenantId,
    target: { kind: 'key', id, name: friendlyName },
  }) as const

/** Creates a key, valid while its creator may install agents, in a transaction of its own or in one of the caller; `secret` is never returned again. */
export async function createInstallerKey(
  { app, principal, actor }: Call,
  tenantId: string,
  {
    keyType,
    friendlyName,
    allowedUses,
    expiration,
    isForNewDevices = false,
  }: NewKeyDto & { isForNewDevices?: boolean },
  within?: Transaction,
): Promise<{ key: InstallerKeyRow; secret: string }> {
  const now = app.clock.now()
  const requested = expiration == null ? null : Date.parse(expiration)
  const secret = newSecret()
  const on = { kind: 'Tenant', tenantId } as const
  const madeWith = restrictingTokenOf(app, principal, [{ permission: 'installer-key.write', on }])
  checkTokenHolds(app, madeWith, [{ permission: 'agent.install', on }])
  const key: InstallerKeyRow = {
    id: randomUUID(),
    tenantId,
    creatorId: principal.id,
    creatorKind: principal.kind,
    keyType: keyType as InstallerKeyRow['keyType'],
    secretHash: hashSecret(secret),
    friendlyName: friendlyName ?? null,
    allowedUses: keyType === 'UsageBased' ? (allowedUses ?? null) : null,
    expiration: { UsageBased: now + dayMs, TimeBased: requested, Persistent: null, Unknown: null }[keyType],
    createdAt: now,
    isForNewDevices,
    madeWith,
  }
  const store = async (transaction: Transaction) => {
    requireTenant(app, tenantId)
    const where = { tenantId, expiration: { [Op.or]: [null, { [Op.gte]: now }] }, [Op.and]: hasUsesLeft }
    await checkRowLimit('valid installer keys', app.models.InstallerKey, where, transaction)
    await app.models.InstallerKey.create(key, { transaction })
    await app.audit.recordIn(transaction, actor, [eventOf('created', key)])
  }
  await (within ? store(within) : app.database.write(store))
  return { key, secret }
}

/** Whether a key is valid at `now`. */
export function isUsable(key: InstallerKeyRow, usageCount: number, now: number): boolean {
  switch (key.keyType) {
    case 'Persistent':
      return true
    case 'TimeBased':
      return key.expiration !== null && key.expiration >= now
    case 'UsageBased':
      return key.expiration !== null && key.expiration >= now && usageCount < (key.allowedUses ?? 0)
  }
}

/** Keys of a tenant that are valid or have ended, oldest first, with their creator's name and number of uses. */
export async function listInstallerKeys(
  { app: { accounts, database, clock } }: OpenCall,
  tenantId: string,
  which: 'usable' | 'ended' = 'usable',
) {
  const rows = await database.all<InstallerKeyRow & { usageCount: number }>(
    `SELECT k.*, (SELECT count(*) FROM installer_key_usages AS g WHERE g.keyId = k.id) AS usageCount
     FROM installer_keys AS k WHERE k.tenantId = ? ORDER BY k.createdAt, k.id`,
    [tenantId],
  )
  return rows
    .filter((row) => isUsable(row, row.usageCount, clock.now()) === (which === 'usable'))
    .map((row) => ({ ...row, creatorName: accounts.nameOf(row.creatorId) ?? null }))
}

/** Creator of a key in its current state; undefined for a deleted account. */
export const creatorOf = (app: App, { creatorKind, creatorId, madeWith }: InstallerKeyRow): MakerNow | undefined =>
  makerNow(app, { makerKind: creatorKind, makerId: creatorId }, madeWith)

/** Reason why a key registers nothing anywhere; undefined for a key that may register on some devices. */
function stopOf(app: App, key: InstallerKeyRow): StoppedInstallerKeyDto['reason'] | undefined {
  const creator = creatorOf(app, key)
  if (!creator) {
    return 'creator-deleted'
  }
  if (!creator.isEnabled) {
    return 'creator-disabled'
  }
  return mayInstallSomewhere(app, creator.principal, key.tenantId) ? undefined : 'creator-may-not-install'
}

const mayInstallSomewhere = (app: App, principal: Principal, tenantId: string) =>
  holds(app, principal, 'agent.install', tenantId) ||
  ruleSetsOf(app, principal).some(({ rules }) =>
    rules().some(
      ({ isEnabled, effect, permissionName, scopeKind }) =>
        isEnabled &&
        effect === 'Allow' &&
        permissionName === 'agent.install' &&
        scopeKind !== 'Tenant' &&
        scopeKind !== 'Server',
    ),
  )

/** Lists keys that have not ended, but register nothing because of their creator (T43). */
export async function listStoppedKeys(call: OpenCall, tenantId: string): Promise<StoppedInstallerKeyDto[]> {
  const keys = await listInstallerKeys(call, tenantId)
  const ofCreator = ({ creatorId, madeWith }: InstallerKeyRow) => `${creatorId} ${madeWith}`
  // Once for each creator: a creator may have thousands of keys and of rules.
  const creators = [...Map.groupBy(keys, ofCreator)]
  const reasons = new Map(await mapInSlices(creators, ([creator, [key]]) => [creator, stopOf(call.app, key!)] as const))
  return keys.flatMap((key) => {
    const reason = reasons.get(ofCreator(key))
    return reason === undefined ? [] : [{ keyId: key.id, reason }]
  })
}

async function findKey({ models }: App, tenantId: string, id: string, transaction?: Transaction) {
  const key = await models.InstallerKey.findOne({ where: { id, tenantId }, transaction })
  return found(key, 'installer key')
}

/** Registrations with a key within the configured history, newest first. */
export async function listInstallerKeyUsages(
  { app }: OpenCall,
  tenantId: string,
  id: string,
): Promise<InstallerKeyUsageRow[]> {
  await findKey(app, tenantId, id)
  const days = app.config.appOptions.agentInstallerKeyHistoryDays
  const since = days > 0 ? app.clock.now() - days * dayMs : 0
  const usages: InstallerKeyUsageRow[] = []
  let page: InstallerKeyUsageRow[]
  // Reads in pages: a key may have registered thousands of devices, and the driver builds all rows of a read
  // synchronously.
  do {
    const last = usages.at(-1)
    page = await app.database.all<InstallerKeyUsageRow>(
      `SELECT * FROM installer_key_usages WHERE keyId = ? AND timestamp >= ? AND (timestamp, id) < (?, ?)
       ORDER BY timestamp DESC, id DESC LIMIT ${usagesPerRead}`,
      [id, since, last?.timestamp ?? Number.MAX_SAFE_INTEGER, last?.id ?? ''],
    )
    usages.push(...page)
  } while (page.length === usagesPerRead)
  return usages
}

export async function renameInstallerKey(
  { app, actor }: OpenCall,
  tenantId: string,
  id: string,
  friendlyName: string,
): Promise<void> {
  await app.database.write(async (transaction) => {
    const key = await findKey(app, tenantId, id, transaction)
    await key.update({ friendlyName }, { transaction })
    await app.audit.recordIn(transaction, actor, [eventOf('renamed', key)])
  })
}

export async function deleteInstallerKey({ app, actor }: OpenCall, tenantId: string, id: string): Promise<void> {
  await app.database.write(async (transaction) => {
    const key = await findKey(app, tenantId, id, transaction)
    await key.destroy({ transaction })
    await app.audit.recordIn(transaction, actor, [eventOf('deleted', key)])
  })
}

const refused = (isGuess: boolean) => new AppError(400, 'The installer key is not valid.', { isGuess })

/** Finds the key for an id and a secret. Throws an error that does not reveal the reason of a rejection. */
export async function checkInstallerKey(
  { models, clock }: App,
  id: string,
  secret: string,
  transaction?: Transaction,
): Promise<InstallerKeyRow> {
  const [key, uses] = await Promise.all([
    models.InstallerKey.findByPk(id, { transaction }),
    models.InstallerKeyUsage.count({ where: { keyId: id }, transaction }),
  ])
  if (!key || !verifySecret(key.secretHash, secret)) {
    throw refused(true)
  }
  if (!isUsable(key, uses, clock.now())) {
    throw refused(false)
  }
  return key.get({ plain: true })
}

/** Deletes usages of installer keys past the configured history. */
export async function removeOldInstallerKeyUsages({ app }: OpenCall): Promise<void> {
  const days = app.config.appOptions.agentInstallerKeyHistoryDays
  if (days > 0) {
    await deleteWhere(app, 'installer_key_usages', 'timestamp < ?', app.retentionClock.now() - days * dayMs)
  }
}
