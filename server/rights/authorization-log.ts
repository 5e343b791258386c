import type { Transaction } from 'sequelize'
import { dayMs } from '../../shared/durations.ts'
import type { App, Call, OpenCall } from '../call/call.ts'
import type { AuthorizationChangeLogRow } from './tables.ts'
import { auditChanges } from './audited-changes.ts'
import type { Change } from './change.ts'
import { orderedId } from '../ground/ordered-id.ts'
import type { Store } from '../engines/database/before-commit.ts'
import { deleteWhere } from '../engines/database/delete-where.ts'

const jsonOf = (value: unknown) => (value === undefined ? null : JSON.stringify(value))

/** Stores rows of the log: one statement for all writes that share the transaction. */
const store: Store<{ app: App; row: AuthorizationChangeLogRow }> = async (transaction, items) => {
  const rows = items.map(({ row }) => row)
  await items[0]?.app.models.AuthorizationChangeLog.bulkCreate(rows, { transaction })
}

/** Writes changes into the log and the audit log, in the transaction of the change itself. */
export async function recordChanges(
  call: Pick<Call, 'app' | 'actor'>,
  transaction: Transaction,
  changes: readonly Change[],
): Promise<void> {
  const { app, actor } = call
  const { clock } = app
  const rows = changes.map((change): AuthorizationChangeLogRow => ({
    id: orderedId(clock.now()),
    actionType: change.actionType,
    actorPrincipalType: actor.type,
    actorPrincipalId: actor.id,
    targetType: change.targetType,
    targetId: change.targetId,
    owningTenantId: change.tenantId,
    ipAddress: actor.remoteAddress,
    createdAt: clock.now(),
    beforeJson: jsonOf(change.before),
    afterJson: jsonOf(change.after),
  }))
  app.database.storeBeforeCommit(
    transaction,
    store,
    rows.map((row) => ({ app, row })),
  )
  await auditChanges(call, transaction, changes)
}

export const recordChange = (
  call: Pick<Call, 'app' | 'actor'>,
  transaction: Transaction,
  change: Change,
): Promise<void> => recordChanges(call, transaction, [change])

export async function removeOldAuthorizationChangeLogs({ app }: OpenCall): Promise<void> {
  const days = app.config.appOptions.authorizationChangeLogRetentionDays
  if (days > 0) {
    await deleteWhere(app, 'authorization_change_logs', 'createdAt < ?', app.retentionClock.now() - days * dayMs)
  }
}
