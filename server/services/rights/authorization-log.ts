import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import type { Call } from '../../call.ts'
import type { AuthorizationChangeLogRow } from '../../models/authorization-change-log.ts'

export type TargetType =
  | 'Customer'
  | 'DeviceGroup'
  | 'UserGroup'
  | 'User'
  | 'PermissionAssignment'
  | 'PersonalAccessToken'
  | 'LogonToken'
  | 'ServiceAccount'
  | 'ServiceAccountCredential'
  | 'Server'

type Subject = 'permission-assignment' | 'customer' | 'device-group' | 'user-group' | 'service-account'

export type ActionType =
  | `${Subject}-${'created' | 'updated' | 'deleted'}`
  | 'permission-assignments-seeded'
  | 'customer-devices-assigned'
  | `${'device-group' | 'user-group'}-members-${'added' | 'removed'}`
  | `service-account-credential-${'created' | 'revoked' | 'deleted'}`
  | `network-${'settings' | 'certificate'}-updated`
  | 'user-deleted'
  | 'user-password-reset'
  | 'user-two-factor-disabled'
  | `credential-scope-${'set' | 'removed' | 'trim' | 'set-failed'}`

/** Target id of changes that concern the whole server. */
export const serverTarget = '00000000-0000-0000-0000-000000000001'

export interface Change {
  actionType: ActionType
  targetType: TargetType
  targetId: string
  /** Null for changes of the server. */
  tenantId: string | null
  /** State before and after, without secrets; undefined where no state exists. */
  before?: unknown
  after?: unknown
}

const jsonOf = (value: unknown) => (value === undefined ? null : JSON.stringify(value))

/** Writes changes into the log, in the transaction of the change itself. */
export async function recordChanges(
  { app: { models, clock }, actor }: Pick<Call, 'app' | 'actor'>,
  transaction: Transaction,
  changes: readonly Change[],
): Promise<void> {
  const rows = changes.map((change): AuthorizationChangeLogRow => ({
    id: randomUUID(),
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
}

export const recordChange = (
  call: Pick<Call, 'app' | 'actor'>,
  transaction: Transaction,
  change: Change,
): Promise<void> => recordChanges(call, transaction, [change])
