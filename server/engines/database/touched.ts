import type { Connection } from './connection.ts'

/** Keys changed by a commit, by table. Plain data, so that it could be sent to another process. */
export type Touched = ReadonlyMap<string, ReadonlySet<string>>

/** A table whose changes are reported. */
export interface WatchedTable {
  table: string
  /** Column whose value is reported for each changed row. */
  key: string
  /** Columns whose changes alone are not reported. */
  except?: readonly string[]
  /** Columns not reported for writes of a batch whose caller follows them; other writes are reported. */
  followedByCaller?: readonly string[]
}

const trigger = (table: string, event: string, condition: string, keys: readonly string[]) =>
  `CREATE TEMP TRIGGER touched_${table}_${event} AFTER ${event} ON main.${table} ${condition}
   BEGIN INSERT INTO touched VALUES ${keys.map((key) => `('${table}', ${key})`).join()}; END;`

/** Triggers see every change, whatever its source: models, plain SQL, and cascading deletes. */
function triggersOf(
  columns: readonly string[],
  { table, key, except = [], followedByCaller = [] }: WatchedTable,
): string {
  const hasChanged = (names: readonly string[]) =>
    names.map((name) => `OLD.${name} IS NOT NEW.${name}`).join(' OR ') || 'FALSE'
  const isTouched = hasChanged(columns.filter((name) => !except.includes(name) && !followedByCaller.includes(name)))
  const isFollowed = 'EXISTS (SELECT 1 FROM followed_by_caller)'
  const condition = `WHEN ${isTouched} OR (NOT ${isFollowed} AND (${hasChanged(followedByCaller)}))`
  return [
    trigger(table, 'INSERT', '', [`NEW.${key}`]),
    trigger(table, 'UPDATE', condition, [`OLD.${key}`, `NEW.${key}`]),
    trigger(table, 'DELETE', '', [`OLD.${key}`]),
  ].join('\n')
}

/**
 * Makes the writer record its changes in some tables. The records are part of its transactions and rolled back with
 * them. Returns functions that drain the records, set who follows the next changes, and finalize the statement.
 */
export async function watchTables(writer: Connection, tables: readonly WatchedTable[]) {
  const columns = await writer.all<{ tableName: string; name: string }>(
    `SELECT t.value AS tableName, c.name FROM json_each(?) AS t, pragma_table_info(t.value) AS c ORDER BY c.cid`,
    [JSON.stringify(tables.map(({ table }) => table))],
  )
  const byTable = Map.groupBy(columns, ({ tableName }) => tableName)
  const triggers = tables.map((table) =>
    triggersOf(
      (byTable.get(table.table) ?? []).map(({ name }) => name),
      table,
    ),
  )
  await writer.exec(
    `PRAGMA temp_store = MEMORY; CREATE TEMP TABLE touched (tableName TEXT, key TEXT);
     CREATE TEMP TABLE followed_by_caller (is_true INTEGER); ${triggers.join('\n')}`,
  )
  const statement = await writer.prepare('DELETE FROM temp.touched RETURNING tableName, key')
  let isFollowedByCaller = false
  return {
    /** Call outside a transaction. Runs a statement only on a change: updates of devices come in long runs. */
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
