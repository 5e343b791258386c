import type { Models } from '../../server/call/models.ts'
import type { TestServer } from './server.ts'

interface Copying {
  copies: number
  /** Row to copy; the first of the table if left out. */
  id?: string
  /** Further ids that differ in each copy. */
  ids?: readonly string[]
}

/** Columns with the number of the copy behind their value. */
const texts = ['name', 'userName', 'email']

/** Copies a row in one statement: thousands of rows of Sequelize take seconds. */
export const copyRow = (server: TestServer, name: keyof Models, { copies, id, ids = [] }: Copying): Promise<unknown> =>
  server.write(async (models, transaction) => {
    const model = models[name] as Models['Customer']
    const table = model.getTableName() as string
    const columns = Object.keys(model.getAttributes())
    const values = columns.map((column) =>
      ['id', ...ids].includes(column)
        ? `substr(${column}, 1, 24) || substr('000000000000' || n, -12)`
        : texts.includes(column)
          ? `${column} || ' ' || n`
          : column,
    )
    const replacements = [id ?? (await model.findOne({ transaction }))!.id]
    return model.sequelize!.query(
      `INSERT INTO ${table} (${columns.join()})
       WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${copies})
       SELECT ${values.join()} FROM ${table}, numbers WHERE id = ?`,
      { replacements, transaction },
    )
  })
