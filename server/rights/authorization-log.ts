import type { Transaction } from 'sequelize'
import { dayMs } from '../../shared/durations.ts'
import type { Call, OpenCall } from '../call/call.ts'
import type { AuthorizationChangeLogRow } from './tables.ts'
import { auditChanges } from './audited-changes.ts'
import type { Change } from './change.ts'
import { orderedId } from '../ground/ordered-id.ts'
import { deleteWhere } from '../engines/database/delete-where.ts'

const jsonOf = (value: unknown) => (value === undefined ? null : JSON.stringify(value))

/** Writes changes into the log and the audit log, in the transaction of the change itself. */
export async function recordChanges(
  call: Pick<Call, 'app' | 'actor'>,
  transaction: Transaction,
  changes: readonly Change[],
): Promise<void> {
  const { app, actor } = call
  const { models, clock } = app
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
  await models.AuthorizationChangeLog.bulkCreate(rows, { transaction })
  await auditChanges(call, transaction, changes)
}

export const recordChange = (
  call: Pick<Call, 'app' | 'actor'>,
  transaction: Transaction,
  change: Change,
): Promise<void> => recordChanges(call, transaction, [change])

/** Deletes changes of rights past the configured retention. */
export async function removeOldAuthorizationChangeLogs({ app }: OpenCall): Promise<void> {
  const days = app.config.appOptions.authorizationChangeLogRetentionDays
  if (days > 0) {
    await deleteWhere(app, 'authorization_change_logs', 'createdAt < ?', app.retentionClock.now() - days * dayMs)
  }
}
