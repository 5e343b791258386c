import { QueryTypes } from 'sequelize'
import type { Database } from './database.ts'

/** Rows deleted per transaction: blocks the writer for a few milliseconds. */
const batchLength = 1_000

/** Deletes the rows of a table that match `condition`, in batches. Without such rows, no transaction is begun. */
export async function deleteWhere(
  { database }: { database: Database },
  table: string,
  condition: string,
  ...values: readonly number[]
): Promise<void> {
  if ((await database.all(`SELECT 1 FROM ${table} WHERE ${condition} LIMIT 1`, values)).length === 0) {
    return
  }
  const sql = `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${condition} LIMIT ${batchLength})`
  let deleted
  do {
    deleted = await database.write((transaction) =>
      database.sequelize.query(sql, {
        replacements: [...values],
        type: QueryTypes.BULKDELETE,
        transaction,
      }),
    )
  } while (deleted === batchLength)
}
