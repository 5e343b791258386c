import type { ModelStatic, Transaction, WhereOptions } from 'sequelize'
import { mostOf, rowLimits, type LimitedRows } from '../../shared/row-limits.ts'
import type { Entity } from '../engines/database/entity.ts'
import { conflict } from '../ground/errors.ts'

/** 409 of a limit, with a sentence that says what to do. */
export const limitReached = (rows: LimitedRows, advice: string) => conflict(`The limit is ${mostOf(rows)}. ${advice}`)

/** Throws 409 where there are as many rows as their limit, or more, before one is added. */
export async function checkRowLimit<Row extends object>(
  rows: LimitedRows,
  model: ModelStatic<Entity<Row>>,
  where: WhereOptions,
  transaction: Transaction,
): Promise<void> {
  const count = await model.count({ where, transaction })
  if (count >= rowLimits[rows]) {
    throw limitReached(rows, 'Delete some that are not needed any more.')
  }
}
