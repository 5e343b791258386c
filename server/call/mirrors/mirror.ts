import { isDeepStrictEqual } from 'node:util'
import { TimeSlice, type Clock } from '../../ground/clock.ts'
import type { Database, Touched } from '../../engines/database/database.ts'
import type { Log } from '../../ground/log.ts'
import type { SharedConnections } from '../../fleet/shared-connections.ts'
import type { Models } from '../models.ts'

export interface MirrorDependencies {
  database: Database
  models: Models
  /** Set where several servers share the database. */
  shared?: SharedConnections | undefined
  clock: Clock
  log: Log
}

/** Keys read per query; others can use the database between two queries. */
const keysPerRead = 250

/**
 * Database rows mirrored in memory, by a key that several rows may share. After each commit, `mirrors/index.ts` makes
 * each mirror read the touched rows again before the write resolves; nothing else changes the entries.
 */
export abstract class Mirror<Row extends { key: string }, Entry> {
  protected readonly held = new Map<string, Entry>()
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Selects every row, with its key as the column `key`; `order` is the load order. */
  protected abstract readonly sql: string
  protected readonly order: string = 'key'

  /** Keys of the rows that a commit has touched. */
  abstract keysOf(touched: Touched): Iterable<string>

  /** Makes the entry of one key from its rows, of which `row` is the first; `known` is the previous entry. */
  protected abstract entryOf(row: Row, rows: readonly Row[], known: Entry | undefined): Entry

  /** Called for a new entry. */
  protected added(_key: string, _entry: Entry): void {}

  /** Called for an entry that replaces an earlier one of its key. */
  protected replaced(_key: string, _entry: Entry, _former: Entry): void {}

  /** Called for a removed entry. */
  protected removed(_key: string, _entry: Entry): void {}

  /** Called with the keys of entries that were set or deleted. */
  protected changed(_keys: readonly string[]): void {}

  /** The part of an entry stored in the database; the rest exists in memory only. */
  protected storedOf(entry: Entry): unknown {
    return entry
  }

  async load(): Promise<void> {
    // In parts: the rows of all devices at once took 100 MB, which the process kept.
    const found = await this.#database.all<{ key: string }>(
      `SELECT key FROM (${this.sql}) AS mirrored ORDER BY ${this.order}`,
    )
    const keys = [...new Set(found.map(({ key }) => key))]
    for (let start = 0; start < keys.length; start += keysPerRead) {
      await this.#read(keys.slice(start, start + keysPerRead))
    }
  }

  /** Reads all rows again, after commits whose keys are unknown. */
  async reload(): Promise<void> {
    const rows = await this.#database.all<Row>(this.sql)
    const byKey = Map.groupBy(rows, (row) => row.key)
    const keys = [...new Set([...this.held.keys(), ...byKey.keys()])]
    for (const key of keys) {
      this.#set(key, byKey.get(key) ?? [])
    }
    this.changed(keys)
  }

  /** Reads touched rows again, then sets or deletes their entries. */
  async follow(touched: Touched): Promise<void> {
    const keys = [...new Set(this.keysOf(touched))]
    if (keys.length === 0) {
      return
    }
    for (let start = 0; start < keys.length; start += keysPerRead) {
      const part = keys.slice(start, start + keysPerRead)
      await this.#read(part)
      this.changed(part)
    }
  }

  async #read(keys: readonly string[]): Promise<void> {
    const rows = await this.#database.all<Row>(
      `SELECT * FROM (${this.sql}) AS mirrored WHERE key IN (SELECT value FROM json_each(?))`,
      [JSON.stringify(keys)],
    )
    const byKey = Map.groupBy(rows, (row) => row.key)
    // An entry may be made of thousands of links or rules.
    const slice = new TimeSlice()
    for (const key of keys) {
      if (slice.isOver) {
        await slice.yield()
      }
      this.#set(key, byKey.get(key) ?? [])
    }
  }

  #set(key: string, rows: readonly Row[]): void {
    const known = this.held.get(key)
    const [row] = rows
    if (row) {
      const entry = this.entryOf(row, rows, known)
      this.held.set(key, entry)
      if (known === undefined) {
        this.added(key, entry)
      } else {
        this.replaced(key, entry, known)
      }
    } else if (known !== undefined) {
      this.held.delete(key)
      this.removed(key, known)
    }
  }

  /** Keys whose entry differs from the database. */
  async differences(): Promise<string[]> {
    const rows = await this.#database.all<Row>(this.sql)
    const byKey = Map.groupBy(rows, (row) => row.key)
    const isSame = (key: string) => {
      const own = byKey.get(key)
      const [row] = own ?? []
      const entry = this.held.get(key)
      return (
        own !== undefined &&
        row !== undefined &&
        entry !== undefined &&
        isDeepStrictEqual(this.storedOf(this.entryOf(row, own, undefined)), this.storedOf(entry))
      )
    }
    return [...new Set([...byKey.keys(), ...this.held.keys()])].filter((key) => !isSame(key))
  }
}

const none: ReadonlySet<string> = new Set()

/** Keys touched in some tables. */
export const keysIn = (touched: Touched, ...tables: readonly string[]): string[] =>
  tables.flatMap((table) => [...(touched.get(table) ?? none)])
