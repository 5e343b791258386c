import type { Database, Migration, Touched } from '../../../../server/engines/database/database.ts'
import type { Also } from '../../../../server/engines/database/group-commit.ts'
import type { PostgresOptions } from '../../../../server/engines/database/options.ts'
import { openDatabase } from '../../../../server/engines/database/database.ts'
import { defineTable, integer, key, text } from '../../../../server/engines/database/table.ts'
import { createLog } from '../../../../server/ground/log.ts'

const Row = defineTable('shared_rows', { id: key(), name: text(), value: integer(0), seen: integer(0) }).with({
  mirror: { key: 'id', followedByCaller: ['seen'] },
})

export const sharedTables = [Row]

/** The table of a later version, which a new database has from the start. */
export const sharedMigrations: Migration[] = [{ name: '0001-shared-rows', up: [] }]

export interface SharedRow {
  id: string
  name: string
  value: number
  seen: number
}

/** A server of a database: a mirror of its rows, and writes that decide by the mirror alone. */
export class SharedRows {
  readonly rows = new Map<string, SharedRow>()
  readonly database: Database
  reloads = 0

  private constructor(database: Database) {
    this.database = database
  }

  static async open(directory: string, postgres: PostgresOptions): Promise<SharedRows> {
    const database = await openDatabase({
      directory,
      migrations: sharedMigrations,
      appVersion: '1.0.0',
      log: createLog({ default: 'None' }),
      postgres,
      folderWaitMs: 0,
    })
    const shared = new SharedRows(database)
    await shared.#read('SELECT * FROM shared_rows', [])
    await database.watch(
      [{ table: 'shared_rows', key: 'id', followedByCaller: ['seen'] }],
      (touched) => shared.#follow(touched),
      async () => {
        shared.reloads += 1
        shared.rows.clear()
        await shared.#read('SELECT * FROM shared_rows', [])
      },
    )
    return shared
  }

  async #read(sql: string, params: readonly string[]): Promise<void> {
    for (const row of await this.database.all<SharedRow>(sql, params)) {
      this.rows.set(row.id, row)
    }
  }

  async #follow(touched: Touched): Promise<void> {
    const keys = [...(touched.get('shared_rows') ?? [])]
    if (keys.length > 0) {
      keys.forEach((id) => this.rows.delete(id))
      const list = JSON.stringify(keys)
      await this.#read('SELECT * FROM shared_rows WHERE id IN (SELECT value FROM json_each(?))', [list])
    }
  }

  #run(sql: string, replacements: unknown[]) {
    return this.database.write((transaction) => this.database.sequelize.query(sql, { replacements, transaction }))
  }

  insert(id: string, name = id, value = 0): Promise<unknown> {
    return this.#run('INSERT INTO shared_rows (id, name, value) VALUES (?, ?, ?)', [id, name, value])
  }

  /** Adds a row unless its name is taken; returns whether it was added. */
  claimName(id: string, name: string): Promise<boolean> {
    return this.database.write(async (transaction) => {
      if ([...this.rows.values()].some((row) => row.name === name)) {
        return false
      }
      const replacements = [id, name]
      await this.database.sequelize.query('INSERT INTO shared_rows (id, name) VALUES (?, ?)', {
        replacements,
        transaction,
      })
      return true
    })
  }

  /** Sets the value of a row to one more than the mirror knows; returns it. */
  count(id: string): Promise<number> {
    return this.database.write(async (transaction) => {
      const value = this.rows.get(id)!.value + 1
      const replacements = [value, id]
      await this.database.sequelize.query('UPDATE shared_rows SET value = ? WHERE id = ?', {
        replacements,
        transaction,
      })
      return value
    })
  }

  /** Takes the right, a value of 1, from a row unless it is the last holder among the rows of that name. */
  resign(id: string): Promise<boolean> {
    return this.database.write(async (transaction) => {
      const own = this.rows.get(id)!
      const holders = [...this.rows.values()].filter(({ name, value }) => name === own.name && value === 1)
      if (own.value !== 1 || holders.length === 1) {
        return false
      }
      const replacements = [id]
      await this.database.sequelize.query('UPDATE shared_rows SET value = 0 WHERE id = ?', {
        replacements,
        transaction,
      })
      return true
    })
  }

  /** Stores a report, which this server would follow by itself. */
  report(id: string, seen: number, also?: Also): Promise<{ changes: number }> {
    return this.database.batch<{ id: string; seen: number }>(reports).run({ id, seen }, also)
  }
}

const reports = {
  sql: `UPDATE shared_rows SET seen = CAST(u.value ->> 'seen' AS BIGINT) FROM jsonb_each(?) AS u
    WHERE shared_rows.id = u.value ->> 'id' RETURNING shared_rows.id AS key`,
  key: ({ id }: { id: string }) => id,
  isFollowedByCaller: true,
} as const
