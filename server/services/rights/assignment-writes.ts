import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import type { App, Principal } from '../../context.ts'
import type { PermissionAssignmentRow } from '../../models/permission-assignment.ts'
import type { Content } from './assignment-checks.ts'
import type { Receiver } from './assignment-targets.ts'
import { recordChanges, type ActionType, type Actor } from './authorization-log.ts'
import { keepingOwnAuthority } from './own-authority.ts'

/** Who changes assignments: what it may do, and what the log says of it. */
export interface Author {
  principal: Principal
  actor: Actor
}

/** One change on its way. */
export interface Write extends Author {
  app: App
  transaction: Transaction
  tenantId: string
  /** Principals whose rows were written. */
  touched: Set<string>
}

/** Writes all or nothing, never at the expense of the caller's own authority; the next request sees it. */
export async function writeAssignments<T>(
  app: App,
  author: Author,
  tenantId: string,
  work: (write: Write) => Promise<T>,
): Promise<T> {
  const touched = new Set<string>()
  const result = await app.database.write((transaction) =>
    keepingOwnAuthority(app, transaction, author.principal, () =>
      work({ ...author, app, transaction, tenantId, touched }),
    ),
  )
  await app.rules.refresh(touched)
  return result
}

/** A row as the log keeps it. */
export const loggedAssignment = (row: PermissionAssignmentRow) => ({
  ...row,
  createdAt: new Date(row.createdAt).toISOString(),
})

interface RowChange {
  actionType: ActionType
  before?: PermissionAssignmentRow
  after?: PermissionAssignmentRow
}

async function record({ app, transaction, actor }: Write, changes: readonly RowChange[]) {
  await recordChanges(
    app,
    transaction,
    actor,
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

export async function insertRows(write: Write, { kind, id }: Receiver, contents: readonly Content[]) {
  const { app, transaction, touched } = write
  const rows = contents.map((content): PermissionAssignmentRow => ({
    id: randomUUID(),
    principalKind: kind,
    principalId: id,
    ...content,
    createdAt: app.clock.now(),
  }))
  await app.models.PermissionAssignment.bulkCreate(rows, { transaction })
  await record(
    write,
    rows.map((after) => ({ actionType: 'permission-assignment-created', after })),
  )
  touched.add(id)
  return rows
}

export async function changeRow(write: Write, before: PermissionAssignmentRow, content: Content) {
  const { app, transaction, touched } = write
  const after = { ...before, ...content }
  await app.models.PermissionAssignment.update(content, { where: { id: before.id }, transaction })
  await record(write, [{ actionType: 'permission-assignment-updated', before, after }])
  touched.add(before.principalId)
  return after
}

export async function removeRows(write: Write, rows: readonly PermissionAssignmentRow[]) {
  const { app, transaction, touched } = write
  await app.models.PermissionAssignment.destroy({ where: { id: rows.map(({ id }) => id) }, transaction })
  await record(
    write,
    rows.map((before) => ({ actionType: 'permission-assignment-deleted', before })),
  )
  rows.forEach(({ principalId }) => touched.add(principalId))
}
