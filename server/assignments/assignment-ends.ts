import type { Transaction } from 'sequelize'
import type { App } from '../call/call.ts'
import type { PermissionAssignmentRow } from '../rights/tables.ts'

type Ends = ReadonlyMap<string, number>

/** Ends of some assignments, by id; those without an end are missing. */
export async function endsOf({ models }: App, ids: readonly string[], transaction: Transaction | null): Promise<Ends> {
  const rows = await models.AssignmentEnd.findAll({ where: { assignmentId: [...ids] }, transaction })
  return new Map(rows.map(({ assignmentId, endsAt }) => [assignmentId, endsAt]))
}

/** Sets the end of some assignments, or with null removes it. */
export async function setEnds(
  { models }: App,
  transaction: Transaction,
  rows: readonly Pick<PermissionAssignmentRow, 'id' | 'principalId'>[],
  endsAt: number | null,
): Promise<void> {
  await models.AssignmentEnd.destroy({ where: { assignmentId: rows.map(({ id }) => id) }, transaction })
  if (endsAt !== null) {
    await models.AssignmentEnd.bulkCreate(
      rows.map(({ id, principalId }) => ({ assignmentId: id, principalId, endsAt })),
      { transaction },
    )
  }
}

/**
 * Filters rules that decide who administers: an allow that ends does not count, since its holder would be the last one
 * for a while only, and a denial counts until it has ended.
 */
export async function lastingRules<R extends Pick<PermissionAssignmentRow, 'id' | 'effect'>>(
  app: App,
  transaction: Transaction | null,
  rules: readonly R[],
): Promise<R[]> {
  const ids = rules.map(({ id }) => id)
  const ends = await endsOf(app, ids, transaction)
  const now = app.clock.now()
  return rules.filter(({ id, effect }) => {
    const endsAt = ends.get(id)
    return endsAt === undefined || (effect === 'Deny' && endsAt > now)
  })
}
