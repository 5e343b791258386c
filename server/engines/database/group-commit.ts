import type { Transaction } from 'sequelize'
import { storableText } from '../../../shared/cut-text.ts'
import type { WriteCheck } from './checked-writes.ts'
import type { PreparedStatement, Session } from './connection.ts'
import type { WriteQueue } from './write-queue.ts'

/** Stores something in a transaction. */
export type Also = (transaction: Transaction) => Promise<void>

/** A statement outside the ORM whose runs share transactions. */
export interface Batch<Item> {
  /**
   * Resolves when the item is committed, with the number of changed rows (0: no such row). An item that SQLite rejects
   * fails only its own promise. What `also` stores is committed with the item.
   */
  run(item: Item, also?: Also): Promise<{ changes: number }>
}

export interface BatchOptions<Item> {
  /**
   * A statement whose only parameter is a JSON array of items, ending in `RETURNING <column> AS key`:
   *
   * UPDATE devices SET alias = item.value ->> 'alias' FROM jsonb_each(?) AS item WHERE devices.id = item.value ->> 'id'
   * RETURNING devices.id AS key
   *
   * jsonb_each instead of json_each, because json_each parses the item again for every column.
   */
  sql: string
  /** Key of an item's row, as returned by the statement. Items of the same row are stored in order. */
  key: (item: Item) => string
  /**
   * Merges a newer item into a queued older item of the same row; undefined keeps them separate. Without `merge`, every
   * item is stored.
   */
  merge?: (older: Item, newer: Item) => Item | undefined
  /** The caller updates its mirror itself: no commit notification needed. */
  isFollowedByCaller?: true
  /** False if no mirror holds rows of the table. */
  isMirrored?: false
}

/** Limits the time that one group occupies the writer: a thousand rows take about 20 ms. */
const largestGroup = 1_000

/** Texts that PostgreSQL does not keep would fail the whole group, again with each of its items (T44). */
function jsonOf(item: unknown): string {
  const json = JSON.stringify(item)
  // Only control characters and lone surrogates are escaped so.
  return json.includes(String.raw`\u`)
    ? JSON.stringify(item, (_, value: unknown) => (typeof value === 'string' ? storableText(value) : value))
    : json
}

/** Additions of the caller to an item. */
interface Run {
  readonly also: Also | undefined
  readonly check: WriteCheck | undefined
}

interface Waiting<Item> extends Run {
  readonly key: string
  readonly item: Item
  readonly json: string
  resolve(result: { changes: number }): void
  reject(error: unknown): void
}

/** A stored item, with the runs merged into it. */
interface Stored<Item> {
  readonly item: Item
  readonly json: string
  readonly runs: Waiting<Item>[]
}

/** Splits a group in halves, and an item into its runs. */
function partsOf<Item>(group: readonly Stored<Item>[]): Stored<Item>[][] {
  const half = Math.ceil(group.length / 2)
  return group.length > 1
    ? [group.slice(0, half), group.slice(half)]
    : group.flatMap(({ runs }) => runs.map((run) => [{ ...run, runs: [run] }]))
}

/** Callbacks around each commit of a batch. */
export interface AroundCommit {
  /**
   * Runs the statement, in a transaction of its own or in one with what `also` stores; resolves with its rows when its
   * items may be answered.
   */
  commit<Rows>(store: () => Promise<Rows>, runs: readonly Run[]): Promise<Rows>
  /** Whether an error is caused by one item and leaves the others intact, so that they are stored without it. */
  isOfItem(error: unknown): boolean
  /** Called with the error of a group that was not stored. */
  failed(error: unknown): void
  /** Check of an item that is run now. */
  check(): WriteCheck | undefined
}

/**
 * Sends all queued items to SQLite as one parameter of one statement, which is one transaction: one call to the
 * driver's thread and one flush to disk for the whole group.
 */
export function createBatch<Item>(
  writer: Session,
  queue: WriteQueue,
  { sql, key, merge }: BatchOptions<Item>,
  around: AroundCommit,
): Batch<Item> & { finalize(): Promise<void> } {
  let waiting: Waiting<Item>[] = []
  let prepared: Promise<PreparedStatement> | undefined
  /** Errors of checks, each of which concerns one item. */
  const refusals = new WeakSet()

  const passChecks = (runs: readonly Waiting<Item>[]) => {
    for (const { check } of runs) {
      try {
        check?.()
      } catch (error) {
        refusals.add(error as object)
        throw error
      }
    }
  }

  /** At most one item per row: with two, the result of the UPDATE would be undefined. */
  const takeGroup = () => {
    const group = new Map<string, Stored<Item>>()
    const later: Waiting<Item>[] = []
    const laterKeys = new Set<string>()
    for (const run of waiting) {
      const known = group.get(run.key)
      const item = known && !laterKeys.has(run.key) ? merge?.(known.item, run.item) : undefined
      if (known && item !== undefined) {
        known.runs.push(run)
        group.set(run.key, { item, json: jsonOf(item), runs: known.runs })
      } else if (!known && group.size < largestGroup) {
        group.set(run.key, { ...run, runs: [run] })
      } else {
        later.push(run)
        laterKeys.add(run.key)
      }
    }
    waiting = later
    return [...group.values()]
  }

  const store = async (group: readonly Stored<Item>[]) => {
    prepared ??= writer.prepare(sql)
    const statement = await prepared
    const json = `[${group.map((stored) => stored.json).join()}]`
    const stored = group.flatMap(({ runs }) => runs)
    const rows = await around.commit(async () => {
      passChecks(stored)
      return statement.all<{ key: string }>([json])
    }, stored)
    const changes = Map.groupBy(rows, (row) => row.key)
    for (const run of stored) {
      run.resolve({ changes: changes.get(run.key)?.length ?? 0 })
    }
  }

  /** Stores a group. Where an item fails, its halves are stored on their own, so that the others share commits. */
  const storeOrSplit = async (group: readonly Stored<Item>[]): Promise<void> => {
    try {
      await store(group)
    } catch (error) {
      around.failed(error)
      const runs = group.flatMap((stored) => stored.runs)
      if (runs.length === 1 || !(around.isOfItem(error) || refusals.has(error as object))) {
        runs.forEach((run) => run.reject(error))
        return
      }
      for (const part of partsOf(group)) {
        await storeOrSplit(part)
      }
    }
  }

  const commit = async () => {
    const group = takeGroup()
    if (waiting.length > 0) {
      void queue.enqueue(commit)
    }
    await storeOrSplit(group)
  }

  return {
    async run(item, also) {
      queue.admit()
      const about = { key: key(item), item, json: jsonOf(item), also, check: around.check() }
      if (waiting.length === 0) {
        void queue.enqueue(commit)
      }
      return new Promise((resolve, reject) => waiting.push({ ...about, resolve, reject }))
    },
    async finalize() {
      const statement = await prepared?.catch(() => undefined)
      await statement?.finalize()
    },
  }
}
