import type { Connection } from './connection.ts'

/** What a commit has changed: keys by table. Plain data, so that another process could be told of it as well. */
export type Touched = ReadonlyMap<string, ReadonlySet<string>>

/** A table whose changes are reported. */
export interface WatchedTable {
  table: string
  /** The column whose value is reported for each changed row. */
  key: string
  /** Columns that are not reported when nothing else in the row has changed. */
  except?: readonly string[]
}

const trigger = (table: string, event: string, condition: string, keys: readonly string[]) =>
  `CREATE TEMP TRIGGER touched_${table}_${event} AFTER ${event} ON main.${table} ${condition}
   BEGIN INSERT INTO touched VALUES ${keys.map((key) => `('${table}', ${key})`).join()}; END;`

/** Triggers see every change, whoever makes it: models, plain SQL, and rows that go together with others. */
async function triggersOf(writer: Connection, { table, key, except = [] }: WatchedTable): Promise<string> {
  const columns = await writer.all<{ name: string }>(`PRAGMA table_info(${table})`)
  const watched = columns.filter(({ name }) => !except.includes(name))
  const hasChanged = watched.map(({ name }) => `OLD.${name} IS NOT NEW.${name}`).join(' OR ')
  return [
    trigger(table, 'INSERT', '', [`NEW.${key}`]),
    trigger(table, 'UPDATE', `WHEN ${hasChanged}`, [`OLD.${key}`, `NEW.${key}`]),
    trigger(table, 'DELETE', '', [`OLD.${key}`]),
  ].join('\n')
}

/**
 * Has the writer note what it changes in some tables. The notes are part of its transactions and undone with them. Returns
 * what reads and removes them, and what gives the statement behind it back.
 */
export async function watchTables(writer: Connection, tables: readonly WatchedTable[]) {
  const triggers = await Promise.all(tables.map((table) => triggersOf(writer, table)))
  await writer.exec(
    `PRAGMA temp_store = MEMORY; CREATE TEMP TABLE touched (tableName TEXT, key TEXT); ${triggers.join('\n')}`,
  )
  const statement = await writer.prepare('DELETE FROM temp.touched RETURNING tableName, key')
  return {
    async drain(): Promise<Touched> {
      const rows = await statement.all<{ tableName: string; key: string }>([])
      const byTable = Map.groupBy(rows, ({ tableName }) => tableName)
      return new Map([...byTable].map(([table, changed]) => [table, new Set(changed.map(({ key }) => key))]))
    },
    finalize: () => statement.finalize(),
  }
}
