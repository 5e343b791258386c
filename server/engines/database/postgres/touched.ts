import type { Client, Notification } from 'pg'
import type { Session } from '../connection.ts'
import type { Touched, WatchedTable } from '../touched.ts'
import { schemaName } from './connections.ts'

/** Channel of the touched keys: a notification is part of its transaction, and arrives in the order of the commits. */
const channel = 'farhand_touched'

/** On while a batch is stored whose caller follows its changes. */
const followedSetting = 'farhand.followed_by_caller'

/** Triggers see every change, whatever its source: models, plain SQL, cascading deletes, and other programs. */
function triggersOf(
  columns: readonly string[],
  { table, key, except = [], followedByCaller = [] }: WatchedTable,
): string {
  const hasChanged = (names: readonly string[]) =>
    names.map((name) => `OLD.${name} IS DISTINCT FROM NEW.${name}`).join(' OR ') || 'FALSE'
  const isTouched = hasChanged(columns.filter((name) => !except.includes(name) && !followedByCaller.includes(name)))
  const isFollowed = `current_setting('${followedSetting}', true) IS NOT DISTINCT FROM 'on'`
  const notify = (row: 'OLD' | 'NEW') => `PERFORM pg_notify('${channel}', '${table} ' || ${row}.${key});`
  return `
    CREATE OR REPLACE FUNCTION touched_${table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF TG_OP <> 'INSERT' THEN ${notify('OLD')} END IF;
      IF TG_OP <> 'DELETE' THEN ${notify('NEW')} END IF;
      RETURN NULL;
    END $$;
    CREATE OR REPLACE TRIGGER touched_rows AFTER INSERT OR DELETE ON ${table}
      FOR EACH ROW EXECUTE FUNCTION touched_${table}();
    CREATE OR REPLACE TRIGGER touched_columns AFTER UPDATE ON ${table}
      FOR EACH ROW WHEN (${isTouched} OR (NOT (${isFollowed}) AND (${hasChanged(followedByCaller)})))
      EXECUTE FUNCTION touched_${table}();`
}

/** Makes the database notify the changes in some tables. */
export async function installTriggers(writer: Session, tables: readonly WatchedTable[]): Promise<void> {
  const columns = await writer.all<{ tableName: string; name: string }>(
    `SELECT table_name AS tableName, column_name AS name FROM information_schema.columns
     WHERE table_schema = '${schemaName}' AND table_name IN (SELECT value FROM json_each(?)) ORDER BY ordinal_position`,
    [JSON.stringify(tables.map(({ table }) => table))],
  )
  const byTable = Map.groupBy(columns, ({ tableName }) => tableName)
  const names = (table: string) => (byTable.get(table) ?? []).map(({ name }) => name)
  await writer.exec(`BEGIN; ${tables.map((table) => triggersOf(names(table.table), table)).join('\n')}; COMMIT`)
}

/** Touched keys as their notifications arrive. */
export class TouchedKeys {
  #waiting = new Map<string, Set<string>>()
  /** Whether the session of the writer suppresses notifications that the caller does not need. */
  isFollowedByCaller = false
  readonly #foreign: () => void

  /** @param foreign Called when another session has changed rows. */
  constructor(foreign: () => void) {
    this.#foreign = foreign
  }

  /** Listens on a new connection; PostgreSQL sends the notifications of its own commits before it answers them. */
  async listen(client: Client): Promise<void> {
    this.isFollowedByCaller = false
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    client.on('notification', (notification) => this.#note(notification, rows[0]?.pid))
    await client.query(`LISTEN ${channel}`)
  }

  async setFollowedByCaller(writer: Session, isTrue: boolean): Promise<void> {
    if (isTrue !== this.isFollowedByCaller) {
      await writer.exec(`SET ${followedSetting} = '${isTrue ? 'on' : 'off'}'`)
      this.isFollowedByCaller = isTrue
    }
  }

  drain(): Touched {
    const touched = this.#waiting
    this.#waiting = new Map()
    return touched
  }

  #note({ payload = '', processId }: Notification, own: number | undefined): void {
    const [table = '', key = ''] = payload.split(/ (.*)/s)
    const keys = this.#waiting.get(table) ?? new Set()
    this.#waiting.set(table, keys.add(key))
    if (processId !== own) {
      this.#foreign()
    }
  }
}
