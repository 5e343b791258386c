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
  /** The same, but only for writes of a batch whose caller follows them: anybody else's are reported. */
  followedByCaller?: readonly string[]
}

const trigger = (table: string, event: string, condition: string, keys: readonly string[]) =>
  `CREATE TEMP TRIGGER touched_${table}_${event} AFTER ${event} ON main.${table} ${condition}
   BEGIN INSERT INTO touched VALUES ${keys.map((key) => `('${table}', ${key})`).join()}; END;`

/** Triggers see every change, whoever makes it: models, plain SQL, and rows that go together with others. */
async function triggersOf(
  writer: Connection,
  { table, key, except = [], followedByCaller = [] }: WatchedTable,
): Promise<string> {
  const columns = await writer.all<{ name: string }>(`PRAGMA table_info(${table})`)
  const hasChanged = (names: readonly string[]) =>
    names.map((name) => `OLD.${name} IS NOT NEW.${name}`).join(' OR ') || 'FALSE'
  const isTouched = hasChanged(
    columns.map(({ name }) => name).filter((name) => !except.includes(name) && !followedByCaller.includes(name)),
  )
  const isFollowed = 'EXISTS (SELECT 1 FROM followed_by_caller)'
  const condition = `WHEN ${isTouched} OR (NOT ${isFollowed} AND (${hasChanged(followedByCaller)}))`
  return [
    trigger(table, 'INSERT', '', [`NEW.${key}`]),
    trigger(table, 'UPDATE', condition, [`OLD.${key}`, `NEW.${key}`]),
    trigger(table, 'DELETE', '', [`OLD.${key}`]),
  ].join('\n')
}

/**
 * Has the writer note what it changes in some tables. The notes are part of its transactions and undone with them. Returns
 * what reads and removes them, what says who follows the next changes, and what gives the statement behind it back.
 */
export async function watchTables(writer: Connection, tables: readonly WatchedTable[]) {
  const triggers = await Promise.all(tables.map((table) => triggersOf(writer, table)))
  await writer.exec(
    `PRAGMA temp_store = MEMORY; CREATE TEMP TABLE touched (tableName TEXT, key TEXT);
     CREATE TEMP TABLE followed_by_caller (is_true INTEGER); ${triggers.join('\n')}`,
  )
  const statement = await writer.prepare('DELETE FROM temp.touched RETURNING tableName, key')
  let isFollowedByCaller = false
  return {
    /** Outside of a transaction. Costs something only where it changes: updates of devices come in long rows. */
    async setFollowedByCaller(isTrue: boolean): Promise<void> {
      if (isTrue !== isFollowedByCaller) {
        await writer.exec(
          isTrue ? 'INSERT INTO temp.followed_by_caller VALUES (1)' : 'DELETE FROM temp.followed_by_caller',
        )
        isFollowedByCaller = isTrue
      }
    },
    async drain(): Promise<Touched> {
      const rows = await statement.all<{ tableName: string; key: string }>([])
      const byTable = Map.groupBy(rows, ({ tableName }) => tableName)
      return new Map([...byTable].map(([table, changed]) => [table, new Set(changed.map(({ key }) => key))]))
    },
    finalize: () => statement.finalize(),
  }
}
