import type { Clock } from '../clock.ts'
import type { Principal } from '../context.ts'
import type { Batch, Database } from '../database.ts'
import type { Log } from '../log.ts'
import { createTurns } from '../turns.ts'
import type { PresentedKey } from '../auth/key-format.ts'
import { verifySecret } from '../auth/secrets.ts'

/** How often keys that have expired are looked for. */
const sweepMs = 2_000

/** How often it is stored when keys were used last. */
const storeMs = 60_000

/** How long a secret that was right is taken for right, without hashing it again. */
const proofMs = 30_000

/** Columns that the query of every kind of key has. */
export interface StoredKey {
  id: string
  /** The account or the user that the key stands for. */
  holderId: string
  secretHash: string
  expiresAt: number | null
  lastUsedAt: number | null
}

/** One kind of key: where it is stored, and who comes with it. */
export interface KeyKind<Row extends StoredKey> {
  /** Every key that works, expired ones aside. */
  selectSql: string
  /** A batch statement that stores `{ id, lastUsedAt }`. */
  lastUsedSql: string
  principalOf(row: Row): Omit<Principal, 'isLive'>
}

interface HeldKey extends StoredKey {
  principal: Principal
  /** What the database knows of `lastUsedAt`. */
  storedLastUsedAt: number | null
}

interface Parts {
  database: Database
  clock: Clock
  log: Log
}

/**
 * Every key of one kind that works, in memory, with its principal: checking one asks no database and caches no answer
 * that could be stale. Whoever changes keys, or those who hold them, calls `refresh` after the commit.
 */
export class HeldKeys<Row extends StoredKey> {
  readonly #database: Database
  readonly #clock: Clock
  readonly #log: Log
  readonly #kind: KeyKind<Row>
  readonly #onEnd: (ids: ReadonlySet<string>) => void
  readonly #lastUsed: Batch<Pick<StoredKey, 'id' | 'lastUsedAt'>>
  readonly #byId = new Map<string, HeldKey>()
  /** By the secret, which a map finds without comparing it letter by letter. */
  readonly #proven = new Map<string, HeldKey>()
  readonly #inOrder = createTurns()

  /** `onEnd` hears of keys that stop working, whatever the reason. */
  constructor({ database, clock, log }: Parts, kind: KeyKind<Row>, onEnd: (ids: ReadonlySet<string>) => void) {
    this.#database = database
    this.#clock = clock
    this.#log = log
    this.#kind = kind
    this.#onEnd = onEnd
    this.#lastUsed = database.batch({ sql: kind.lastUsedSql, key: ({ id }) => id })
  }

  /** Reads every key, and looks for those that expire. Returns the function that stops looking. */
  async load(): Promise<() => Promise<void>> {
    await this.refresh()
    const cancels = [
      this.#clock.every(sweepMs, () => this.#end([...this.#byId.values()].filter((key) => this.#isExpired(key)))),
      this.#clock.every(storeMs, () => void this.#store(this.#byId.values())),
      this.#clock.every(proofMs, () => this.#proven.clear()),
    ]
    return async () => {
      cancels.forEach((cancel) => cancel())
      await this.#store(this.#byId.values())
    }
  }

  /** Reads the keys of some holders again, or everybody's. What is gone works no more when this resolves. */
  refresh(holderIds?: Iterable<string>): Promise<void> {
    const holders = holderIds && new Set(holderIds)
    const { selectSql } = this.#kind
    return this.#inOrder(async () => {
      const rows = holders
        ? await this.#database.all<Row>(
            `SELECT * FROM (${selectSql}) WHERE holderId IN (SELECT value FROM json_each(?))`,
            [JSON.stringify([...holders])],
          )
        : await this.#database.all<Row>(selectSql)
      const working = new Map(rows.filter((row) => !this.#isExpired(row)).map((row) => [row.id, row]))
      const isGone = ({ id, holderId }: HeldKey) => (!holders || holders.has(holderId)) && !working.has(id)
      this.#end([...this.#byId.values()].filter(isGone))
      for (const row of working.values()) {
        this.#hold(row)
      }
    })
  }

  /** Who comes with a key, if it works. The answer takes as long for one that nobody has. */
  open({ id, secret }: PresentedKey): Principal | undefined {
    const key = this.#byId.get(id)
    const isProven = key !== undefined && this.#proven.get(secret) === key
    const isRight = isProven || verifySecret(key?.secretHash, secret)
    if (!key || !isRight || this.#isExpired(key)) {
      return undefined
    }
    if (!isProven) {
      this.#proven.set(secret, key)
    }
    key.lastUsedAt = this.#clock.now()
    return key.principal
  }

  /** When a key was used last, to the millisecond; the database follows. Undefined for a key that does not work. */
  lastUsedAt(id: string): number | null | undefined {
    return this.#byId.get(id)?.lastUsedAt
  }

  #isExpired({ expiresAt }: Pick<StoredKey, 'expiresAt'>) {
    return expiresAt !== null && expiresAt <= this.#clock.now()
  }

  #hold(row: Row) {
    const { id, holderId, secretHash, expiresAt } = row
    const isLive = () => {
      const key = this.#byId.get(id)
      return key !== undefined && !this.#isExpired(key)
    }
    this.#byId.set(id, {
      id,
      holderId,
      secretHash,
      expiresAt,
      lastUsedAt: this.#byId.get(id)?.lastUsedAt ?? row.lastUsedAt,
      storedLastUsedAt: row.lastUsedAt,
      principal: { ...this.#kind.principalOf(row), isLive },
    })
  }

  #end(keys: readonly HeldKey[]) {
    if (keys.length === 0) {
      return
    }
    void this.#store(keys)
    keys.forEach(({ id }) => this.#byId.delete(id))
    this.#onEnd(new Set(keys.map(({ id }) => id)))
  }

  /** Stores when keys were used last, where the database does not know. A failure is made good by the next time. */
  async #store(keys: Iterable<HeldKey>): Promise<void> {
    const used = [...keys].filter(({ lastUsedAt, storedLastUsedAt }) => lastUsedAt !== storedLastUsedAt)
    const stored = used.map(async (key) => {
      const { id, lastUsedAt } = key
      await this.#lastUsed.run({ id, lastUsedAt })
      key.storedLastUsedAt = lastUsedAt
    })
    const failed = (await Promise.allSettled(stored)).find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') {
      this.#log.warn({ err: failed.reason as unknown }, 'It could not be stored when a key was used last.')
    }
  }
}
