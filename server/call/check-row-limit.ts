import { Op, type ModelStatic, type Transaction, type WhereOptions } from 'sequelize'
import { mostOf, rowLimits, type LimitedRows } from '../../shared/row-limits.ts'
import type { Entity } from '../engines/database/entity.ts'
import { limitReached } from '../ground/errors.ts'

/** 409 of a limit of rows. */
export const rowLimitReached = (rows: LimitedRows, advice: string) =>
  limitReached(`The limit is ${mostOf(rows)}. ${advice}`)

interface Circumstances {
  advice?: string
  /** Rows of the account that adds one: at most as many as it leaves to all others (T44). */
  own?: WhereOptions
}

/** Throws 409 where there are as many rows as their limit, or more, before one is added. Returns their number. */
export async function checkRowLimit<Row extends object>(
  rows: LimitedRows,
  model: ModelStatic<Entity<Row>>,
  where: WhereOptions,
  transaction: Transaction,
  { advice = 'Delete some that are not needed any more.', own }: Circumstances = {},
): Promise<number> {
  const count = await model.count({ where, transaction })
  const left = rowLimits[rows] - count
  if (left <= 0) {
    throw rowLimitReached(rows, advice)
  }
  if (own && count >= left && (await model.count({ where: { [Op.and]: [where, own] }, transaction })) >= left) {
    throw limitReached(
      `You made half of the ${rows} that there may be, or more: the limit is ${mostOf(rows)}. ${advice}`,
    )
  }
  return count
}

/** Upper bounds of the rows of tenants, in the transaction that counted them. */
const bounds = new WeakMap<Transaction, Map<string, number>>()

/** Checks the limit of a tenant's rows: counts once for the writes that share a transaction, and again at the limit. */
export async function checkTenantRowLimit<Row extends { tenantId: string }>(
  rows: LimitedRows,
  model: ModelStatic<Entity<Row>>,
  tenantId: string,
  transaction: Transaction,
): Promise<void> {
  const known = bounds.get(transaction) ?? new Map<string, number>()
  bounds.set(transaction, known)
  const key = `${rows} ${tenantId}`
  const bound = known.get(key) ?? rowLimits[rows]
  const count =
    bound < rowLimits[rows] ? bound : await checkRowLimit(rows, model, { tenantId } as WhereOptions<Row>, transaction)
  known.set(key, count + 1)
}
