import { isDeepStrictEqual } from 'node:util'
import type { Database, Touched } from '../database.ts'

/** So many are read at once: others have their turn before the next ones. */
const keysPerRead = 250

/**
 * Rows of the database, held in memory by a key that several of them may share. `mirrors/index.ts` has each mirror read
 * again what a commit has touched, before whoever wrote goes on; nobody else changes what is held.
 */
export abstract class Mirror<Row extends { key: string }, Entry> {
  protected readonly held = new Map<string, Entry>()
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Selects every row, with its key as the column `key`, and the order in which they are loaded. */
  protected abstract readonly sql: string
  protected readonly order: string = 'key'

  /** The keys that a commit has changed something of. */
  abstract keysOf(touched: Touched): Iterable<string>

  /** What is held for the rows of one key, of which `row` is the first; `known` is what was held for it. */
  protected abstract entryOf(row: Row, rows: readonly Row[], known: Entry | undefined): Entry

  /** Called for a new entry. */
  protected came(_key: string, _entry: Entry): void {}

  /** Called for a removed entry. */
  protected gone(_key: string, _entry: Entry): void {}

  /** Called with the keys of entries that were set or deleted. */
  protected changed(_keys: readonly string[]): void {}

  /** What the database decides of an entry; the rest is known in memory only. */
  protected storedOf(entry: Entry): unknown {
    return entry
  }

  async load(): Promise<void> {
    const rows = await this.#database.all<Row>(`${this.sql} ORDER BY ${this.order}`)
    for (const [key, own] of Map.groupBy(rows, (row) => row.key)) {
      this.#set(key, own)
    }
  }

  /** Reads what was touched again, then sets or deletes it. */
  async follow(touched: Touched): Promise<void> {
    const keys = [...new Set(this.keysOf(touched))]
    if (keys.length === 0) {
      return
    }
    for (let start = 0; start < keys.length; start += keysPerRead) {
      await this.#readAgain(keys.slice(start, start + keysPerRead))
    }
  }

  async #readAgain(keys: readonly string[]): Promise<void> {
    const rows = await this.#database.all<Row>(
      `SELECT * FROM (${this.sql}) WHERE key IN (SELECT value FROM json_each(?))`,
      [JSON.stringify(keys)],
    )
    const byKey = Map.groupBy(rows, (row) => row.key)
    for (const key of keys) {
      this.#set(key, byKey.get(key) ?? [])
    }
    this.changed(keys)
  }

  #set(key: string, rows: readonly Row[]): void {
    const known = this.held.get(key)
    const [row] = rows
    if (row) {
      const entry = this.entryOf(row, rows, known)
      this.held.set(key, entry)
      if (known === undefined) {
        this.came(key, entry)
      }
    } else if (known !== undefined) {
      this.held.delete(key)
      this.gone(key, known)
    }
  }

  /** The keys whose entry differs from the database. */
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

/** The keys that were touched in some tables. */
export const keysIn = (touched: Touched, ...tables: readonly string[]): string[] =>
  tables.flatMap((table) => [...(touched.get(table) ?? none)])
