import { QueryTypes, type Model, type ModelStatic, type Sequelize, type Transaction } from 'sequelize'
import type { SqlValue } from './connection.ts'

/**
 * Statements of frequent writes, without Sequelize's models: those take up to three quarters of the time of a short
 * statement (decision 0121). `$1` names the first value.
 */
export const selectIn = <Row extends object>(
  { sequelize }: { sequelize: Sequelize },
  transaction: Transaction,
  sql: string,
  values: readonly SqlValue[],
): Promise<Row[]> => sequelize.query<Row>(sql, { bind: [...values], transaction, type: QueryTypes.SELECT })

/** Runs a statement that returns no rows. */
export async function runIn(
  { sequelize }: { sequelize: Sequelize },
  transaction: Transaction,
  sql: string,
  values: readonly SqlValue[],
): Promise<void> {
  await sequelize.query(sql, { bind: [...values], transaction, type: QueryTypes.RAW })
}

/** Inserts rows as they are, in their order: for tables whose columns are texts and numbers only. */
export async function insertIn<Row extends object & { [Column in keyof Row]: SqlValue }>(
  database: { sequelize: Sequelize },
  transaction: Transaction,
  model: ModelStatic<Model<Row, Partial<Row>>>,
  rows: readonly Row[],
): Promise<void> {
  const columns = Object.keys(model.getAttributes()) as (keyof Row & string)[]
  const places = columns.map((_, index) => `$${index + 1}`)
  const sql = `INSERT INTO ${model.tableName} (${columns.join()}) VALUES (${places.join()})`
  // Queued at once: the connection runs them one after another without a wait between them.
  await Promise.all(
    rows.map((row) =>
      runIn(
        database,
        transaction,
        sql,
        columns.map((column) => row[column]),
      ),
    ),
  )
}
