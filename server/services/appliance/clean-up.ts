import { QueryTypes } from 'sequelize'
import type { App, OpenCall } from '../../call.ts'

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs

/** How long the results of a batch can be read. */
const batchDays = 30

/** Rows deleted in one transaction: a few milliseconds of the one writer. */
const batchLength = 1_000

/** Deletes the rows of a table that `condition` fits, a batch at a time. */
async function deleteWhere({ database }: App, table: string, condition: string, value?: number): Promise<void> {
  const sql = `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${condition} LIMIT ${batchLength})`
  let deleted
  do {
    deleted = await database.write((transaction) =>
      database.sequelize.query(sql, {
        replacements: value === undefined ? [] : [value],
        type: QueryTypes.BULKDELETE,
        transaction,
      }),
    )
  } while (deleted === batchLength)
}

/** Removes usages of installer keys that are older than the history reaches. */
export async function removeOldInstallerKeyUsages({ app }: OpenCall): Promise<void> {
  const days = app.config.appOptions.agentInstallerKeyHistoryDays
  if (days > 0) {
    await deleteWhere(app, 'installer_key_usages', 'timestamp < ?', app.clock.now() - days * dayMs)
  }
}

/** Removes changes of rights that are older than they have to be kept. */
export async function removeOldAuthorizationChangeLogs({ app }: OpenCall): Promise<void> {
  const days = app.config.appOptions.authorizationChangeLogRetentionDays
  if (days > 0) {
    await deleteWhere(app, 'authorization_change_logs', 'createdAt < ?', app.clock.now() - days * dayMs)
  }
}

/**
 * Removes logon tokens that have expired, and assignments of tokens that are gone: the database takes a token along
 * with its device or its user, but not what was assigned to it. That rights ended with their time is no change to
 * record.
 */
export async function removeExpiredLogonTokens({ app }: OpenCall): Promise<void> {
  const now = app.clock.now()
  await deleteWhere(app, 'logon_tokens', 'expiresAt <= ?', now)
  const ofNoToken = `principalKind = 'LogonToken' AND principalId NOT IN (SELECT id FROM logon_tokens)`
  await deleteWhere(app, 'permission_assignments', ofNoToken)
}

/** Removes what was done with many devices a month ago. */
export const removeOldBatches = ({ app }: OpenCall): Promise<void> =>
  deleteWhere(app, 'batches', 'createdAt < ?', app.clock.now() - batchDays * dayMs)

/** Removes sign-ins for bearer tokens whose last token has expired. */
export const removeExpiredTokenFamilies = ({ app }: OpenCall): Promise<void> =>
  deleteWhere(app, 'token_families', 'expiresAt <= ?', app.clock.now())

/** Removes what is kept of the load of devices beyond a day. */
export const removeOldLoads = ({ app }: OpenCall): Promise<void> =>
  deleteWhere(app, 'device_loads', 'hour < ?', Math.floor(app.clock.now() / hourMs) - 25)
