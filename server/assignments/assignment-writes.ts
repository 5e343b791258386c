import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import { instant } from '../ground/instant.ts'
import { rowLimits } from '../../shared/row-limits.ts'
import type { Call } from '../call/call.ts'
import { rowLimitReached } from '../call/check-row-limit.ts'
import type { PermissionAssignmentRow } from '../rights/tables.ts'
import { askProofFor } from './recent-proof.ts'
import { keyOf, type Content } from './assignment-checks.ts'
import type { Receiver } from './assignment-targets.ts'
import { setEnds } from './assignment-ends.ts'
import { recordChanges } from '../rights/authorization-log.ts'
import type { ActionType } from '../rights/change.ts'
import { keepingAdministrators } from './last-administrator.ts'
import { keepingOwnAuthority } from './own-authority.ts'

/** Change of assignments inside a transaction. */
export interface Write extends Call {
  transaction: Transaction
  tenantId: string
}

/**
 * Writes all or nothing. Rolls back when the principal loses its own authority, or the tenant its last administrator.
 */
export const writeAssignments = <T>(
  { app, principal, actor }: Call,
  tenantId: string,
  work: (write: Write) => Promise<T>,
): Promise<T> =>
  app.database.write((transaction) =>
    keepingOwnAuthority(app, transaction, principal, () =>
      keepingAdministrators(app, transaction, tenantId, () => work({ app, principal, actor, transaction, tenantId })),
    ),
  )

/** Assignment with its end; null or absent for none. */
export type EndingRow = PermissionAssignmentRow & { endsAt?: number | null }

/** Assignment as stored in the log. */
export const loggedAssignment = ({ endsAt, ...row }: EndingRow) => ({
  ...row,
  createdAt: instant(row.createdAt),
  ...(typeof endsAt === 'number' && { endsAt: instant(endsAt) }),
})

interface RowChange {
  actionType: ActionType
  before?: EndingRow
  after?: EndingRow
}

/** Logs changes of rows. Asks for a recent proof where they concern management permissions. */
async function record(write: Write, changes: readonly RowChange[]) {
  const rows = changes.flatMap(({ before, after }) => [before, after]).filter((row) => row !== undefined)
  askProofFor(
    write,
    rows.map(({ permissionName }) => permissionName),
  )
  await recordChanges(
    write,
    write.transaction,
    changes.map(({ actionType, before, after }) => {
      const { id, owningTenantId } = (after ?? before)!
      return {
        actionType,
        targetType: 'PermissionAssignment',
        targetId: id,
        tenantId: owningTenantId,
        before: before && loggedAssignment(before),
        after: after && loggedAssignment(after),
      }
    }),
  )
}

/**
 * Throws 409 for too many rows, unless the principal had at least as many before this write, as the mirror knows: older
 * versions had no limit.
 */
async function checkCount({ app, transaction }: Write, { kind, id }: Pick<Receiver, 'kind' | 'id'>) {
  const where = { principalKind: kind, principalId: id }
  const count = await app.models.PermissionAssignment.count({ where, transaction })
  if (count > rowLimits['assignments of a principal'] && count > app.rules.allOf(id).length) {
    throw rowLimitReached('assignments of a principal', 'Give its rights to groups, or for the whole tenant.')
  }
}

export async function insertRows(
  write: Write,
  { kind, id }: Receiver,
  contents: readonly Content[],
  endsAt: number | null = null,
) {
  const { app, transaction } = write
  const rows = contents.map((content): PermissionAssignmentRow => ({
    id: randomUUID(),
    principalKind: kind,
    principalId: id,
    ...content,
    createdAt: app.clock.now(),
  }))
  await app.models.PermissionAssignment.bulkCreate(rows, { transaction })
  await checkCount(write, { kind, id })
  if (endsAt !== null) {
    await setEnds(app, transaction, rows, endsAt)
  }
  await record(
    write,
    rows.map((row) => ({ actionType: 'permission-assignment-created', after: { ...row, endsAt } })),
  )
  return rows
}

/**
 * A row that a token changes is bound to this token, unless only the notes change. A row that a person changes is not.
 */
function makerAfter(before: EndingRow, { endsAt, ...content }: ChangedContent): string | null {
  const saysTheSame =
    keyOf(before) === keyOf(content) && before.isEnabled === content.isEnabled && endsAt === before.endsAt
  return content.madeWith !== null && saysTheSame ? before.madeWith : content.madeWith
}

type ChangedContent = Content & Pick<EndingRow, 'endsAt'>

/** Changes a row; its end stays unless `content` names another. */
export async function changeRow(write: Write, before: EndingRow, content: ChangedContent) {
  const { app, transaction } = write
  const endsAt = content.endsAt === undefined ? before.endsAt : content.endsAt
  const { endsAt: _, ...columns } = { ...content, madeWith: makerAfter(before, { ...content, endsAt }) }
  const after = { ...before, ...columns, endsAt }
  await app.models.PermissionAssignment.update(columns, { where: { id: before.id }, transaction })
  if (endsAt !== before.endsAt) {
    await setEnds(app, transaction, [before], endsAt ?? null)
  }
  await record(write, [{ actionType: 'permission-assignment-updated', before, after }])
  return after
}

export async function removeRows(write: Write, rows: readonly EndingRow[]) {
  const { app, transaction } = write
  await app.models.PermissionAssignment.destroy({ where: { id: rows.map(({ id }) => id) }, transaction })
  await record(
    write,
    rows.map((before) => ({ actionType: 'permission-assignment-deleted', before })),
  )
}
