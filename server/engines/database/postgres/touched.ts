import type { Client, Notification } from 'pg'
import type { Session } from '../connection.ts'
import type { Touched, WatchedTable } from '../touched.ts'
import { schemaName } from './connections.ts'

/** Channel of the touched keys: a notification is part of its transaction, and arrives in the order of the commits. */
const channel = 'farhand_touched'
/** Channel of the keys whose changes their server follows by itself, for the other servers of its cluster. */
const followedChannel = 'farhand_followed'

/** Channel of one connection: its notification follows those of all earlier commits. */
export const barrier = (pid: number) => `farhand_barrier_${pid}`

/** While a batch is stored whose caller follows its changes: `on` without other servers, `others` for them. */
const followedSetting = 'farhand.followed_by_caller'

/** Lets the caller follow the changes of a transaction. */
export const followedByCaller = (isShared: boolean) => `SET LOCAL ${followedSetting} = '${isShared ? 'others' : 'on'}'`

/** Time for which keys on the channel of followed keys are gathered: rows are read together. */
const gatherMs = 1_000
/** Rows read at once; own writes go on between two reads. */
const gatheredLength = 250

/** Triggers see every change, whatever its source: models, plain SQL, cascading deletes, and other programs. */
function triggersOf(
  columns: readonly string[],
  { table, key, except = [], followedByCaller = [] }: WatchedTable,
): string {
  const hasChanged = (names: readonly string[]) =>
    names.map((name) => `OLD.${name} IS DISTINCT FROM NEW.${name}`).join(' OR ') || 'FALSE'
  const isTouched = hasChanged(columns.filter((name) => !except.includes(name) && !followedByCaller.includes(name)))
  const followed = `current_setting('${followedSetting}', true)`
  const notify = (to: string, row: 'OLD' | 'NEW') => `PERFORM pg_notify('${to}', '${table} ' || ${row}.${key});`
  return `
    CREATE OR REPLACE FUNCTION touched_${table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF TG_OP <> 'INSERT' THEN ${notify(channel, 'OLD')} END IF;
      IF TG_OP <> 'DELETE' THEN ${notify(channel, 'NEW')} END IF;
      RETURN NULL;
    END $$;
    CREATE OR REPLACE FUNCTION followed_${table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      ${notify(followedChannel, 'NEW')}
      RETURN NULL;
    END $$;
    CREATE OR REPLACE TRIGGER touched_rows AFTER INSERT OR DELETE ON ${table}
      FOR EACH ROW EXECUTE FUNCTION touched_${table}();
    CREATE OR REPLACE TRIGGER touched_columns AFTER UPDATE ON ${table}
      FOR EACH ROW WHEN (${isTouched} OR (coalesce(${followed}, '') NOT IN ('on', 'others') AND (${hasChanged(followedByCaller)})))
      EXECUTE FUNCTION touched_${table}();
    CREATE OR REPLACE TRIGGER followed_columns AFTER UPDATE ON ${table}
      FOR EACH ROW WHEN (${followed} IS NOT DISTINCT FROM 'others' AND (${hasChanged(followedByCaller)}))
      EXECUTE FUNCTION followed_${table}();`
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

export class TouchedKeys {
  /** Process of the connection on the database server. */
  pid = 0
  #waiting = new Map<string, Set<string>>()
  #gathered = new Map<string, Set<string>>()
  readonly #foreign: () => void
  readonly #followed: (touched: Touched) => void

  /**
   * @param foreign Called when another session has changed rows.
   * @param followed Called some time after another server has changed rows that it follows by itself.
   */
  constructor(foreign: () => void, followed: (touched: Touched) => void) {
    this.#foreign = foreign
    this.#followed = followed
  }

  /** Listens on a new connection; PostgreSQL sends the notifications of its own commits before it answers them. */
  async listen(client: Client, isShared: boolean): Promise<void> {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    this.pid = rows[0]?.pid ?? 0
    client.on('notification', (notification) => this.#note(notification))
    await client.query(`LISTEN ${channel}`)
    if (isShared) {
      await client.query(`LISTEN ${followedChannel}; LISTEN ${barrier(this.pid)}`)
    }
  }

  drain(): Touched {
    const touched = this.#waiting
    this.#waiting = new Map()
    return touched
  }

  #note({ channel: on, payload = '', processId }: Notification): void {
    const isForeign = processId !== this.pid
    if (on === channel) {
      add(this.#waiting, payload)
      if (isForeign) {
        this.#foreign()
      }
    } else if (on === followedChannel && isForeign) {
      if (this.#gathered.size === 0) {
        setTimeout(() => this.#followGathered(), gatherMs).unref()
      }
      add(this.#gathered, payload)
    }
  }

  #followGathered(): void {
    const gathered = this.#gathered
    this.#gathered = new Map()
    for (const [table, all] of gathered) {
      const keys = [...all]
      for (let start = 0; start < keys.length; start += gatheredLength) {
        this.#followed(new Map([[table, new Set(keys.slice(start, start + gatheredLength))]]))
      }
    }
  }
}

/** Adds the table and key of a notification. */
function add(touched: Map<string, Set<string>>, payload: string): void {
  const [table = '', key = ''] = payload.split(/ (.*)/s)
  const keys = touched.get(table) ?? new Set()
  touched.set(table, keys.add(key))
}
