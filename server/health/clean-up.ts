import { QueryTypes } from 'sequelize'
import type { App, OpenCall } from '../call/call.ts'

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs

/** Retention of batch results. */
const batchDays = 30

/** Rows deleted per transaction: blocks the writer for a few milliseconds. */
const batchLength = 1_000

/** Deletes the rows of a table that match `condition`, in batches. Without such rows, no transaction is begun. */
export async function deleteWhere({ database }: App, table: string, condition: string, value?: number): Promise<void> {
  const values = value === undefined ? [] : [value]
  if ((await database.all(`SELECT 1 FROM ${table} WHERE ${condition} LIMIT 1`, values)).length === 0) {
    return
  }
  const sql = `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${condition} LIMIT ${batchLength})`
  let deleted
  do {
    deleted = await database.write((transaction) =>
      database.sequelize.query(sql, {
        replacements: values,
        type: QueryTypes.BULKDELETE,
        transaction,
      }),
    )
  } while (deleted === batchLength)
}

/** Deletes usages of installer keys past the configured history. */
export async function removeOldInstallerKeyUsages({ app }: OpenCall): Promise<void> {
  const days = app.config.appOptions.agentInstallerKeyHistoryDays
  if (days > 0) {
    await deleteWhere(app, 'installer_key_usages', 'timestamp < ?', app.clock.now() - days * dayMs)
  }
}

/** Deletes changes of rights past the configured retention. */
export async function removeOldAuthorizationChangeLogs({ app }: OpenCall): Promise<void> {
  const days = app.config.appOptions.authorizationChangeLogRetentionDays
  if (days > 0) {
    await deleteWhere(app, 'authorization_change_logs', 'createdAt < ?', app.clock.now() - days * dayMs)
  }
}

/** Deletes keys of service accounts the configured days after they were revoked or expired. */
export async function removeEndedCredentials({ app }: OpenCall): Promise<void> {
  const days = app.config.appOptions.serviceAccountCredentialCleanupAfterDays
  if (days > 0) {
    const ended = 'min(coalesce(revokedAt, expiresAt), coalesce(expiresAt, revokedAt)) < ?'
    await deleteWhere(app, 'service_account_credentials', ended, app.clock.now() - days * dayMs)
  }
}

/**
 * Deletes expired logon tokens, and assignments of deleted tokens: the database cascades from devices and users to
 * tokens, but not to assignments. Expired rights are not recorded in the log of changes.
 */
export async function removeExpiredLogonTokens({ app }: OpenCall): Promise<void> {
  const now = app.clock.now()
  await deleteWhere(app, 'logon_tokens', 'expiresAt <= ?', now)
  const ofNoToken = `principalKind = 'LogonToken' AND principalId NOT IN (SELECT id FROM logon_tokens)`
  await deleteWhere(app, 'permission_assignments', ofNoToken)
}

/** Deletes batches past their retention. */
export const removeOldBatches = ({ app }: OpenCall): Promise<void> =>
  deleteWhere(app, 'batches', 'createdAt < ?', app.clock.now() - batchDays * dayMs)

/** Deletes token families whose last bearer token has expired. */
export const removeExpiredTokenFamilies = ({ app }: OpenCall): Promise<void> =>
  deleteWhere(app, 'token_families', 'expiresAt <= ?', app.clock.now())

/** Deletes device loads older than a day. */
export const removeOldLoads = ({ app }: OpenCall): Promise<void> =>
  deleteWhere(app, 'device_loads', 'hour < ?', Math.floor(app.clock.now() / hourMs) - 25)
