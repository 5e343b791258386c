import type { Clock } from '../clock.ts'
import type { Batch, Database, Touched } from '../database.ts'
import type { Log } from '../log.ts'
import type { Principal } from '../principal.ts'
import { verifySecret } from '../secrets/hashes.ts'
import type { PresentedKey } from '../secrets/key-format.ts'
import { keysIn, Mirror } from './mirror.ts'

/** How often it is stored when keys were used last. */
const storeMs = 60_000

/**
 * How long a verified secret is accepted without hashing it again. A hash takes some 4 microseconds, which is a tenth
 * of a small request.
 */
const proofMs = 30_000

/** Columns that the query of every kind of key has; its key is the key's id. */
export interface StoredKey {
  key: string
  /** The account or the user that the key stands for. */
  holderId: string
  secretHash: string
  expiresAt: number | null
  lastUsedAt: number | null
  /** 0 while the key is refused, as one of a disabled account. */
  isEnabled: number
  /** Connections made with the key end when this changes, although the key itself still works. */
  stamp: string
}

/** One kind of key: where it is stored, and who comes with it. */
export interface KeyKind<Row extends StoredKey> {
  /** Every key that has not been revoked. */
  sql: string
  /** The tables of the keys and of those that hold them. */
  tables: { keys: string; holders: string }
  /** A batch statement that stores `{ id, lastUsedAt }`. */
  lastUsedSql: string
  principalOf(row: Row): Omit<Principal, 'isLive' | 'use'>
}

interface HeldKey {
  id: string
  holderId: string
  secretHash: string
  expiresAt: number | null
  isEnabled: boolean
  stamp: string
  principal: Principal
  lastUsedAt: number | null
  /** What the database knows of `lastUsedAt`. */
  storedLastUsedAt: number | null
}

interface Dependencies {
  database: Database
  clock: Clock
  log: Log
}

/** Every key of one kind, with its principal, so that checking one needs no query. */
export class HeldKeys<Row extends StoredKey> extends Mirror<Row, HeldKey> {
  protected readonly sql: string
  readonly #clock: Clock
  readonly #log: Log
  readonly #kind: KeyKind<Row>
  readonly #lastUsed: Batch<{ id: string; lastUsedAt: number | null }>
  /** By the secret, which a map finds without comparing it letter by letter. */
  readonly #proven = new Map<string, HeldKey>()
  /** Deleted keys, whose last use still has to be stored. */
  readonly #leaving = new Map<string, HeldKey>()

  constructor({ database, clock, log }: Dependencies, kind: KeyKind<Row>) {
    super(database)
    this.sql = kind.sql
    this.#clock = clock
    this.#log = log
    this.#kind = kind
    this.#lastUsed = database.batch({ sql: kind.lastUsedSql, key: ({ id }) => id, isFollowedByCaller: true })
  }

  override keysOf(touched: Touched): Iterable<string> {
    const { keys, holders } = this.#kind.tables
    const holderIds = new Set(keysIn(touched, holders))
    const held = holderIds.size === 0 ? [] : [...this.held.values()].filter(({ holderId }) => holderIds.has(holderId))
    return [...keysIn(touched, keys), ...held.map(({ id }) => id)]
  }

  protected override entryOf(row: Row, _: readonly Row[], known: HeldKey | undefined): HeldKey {
    const { key: id, holderId, secretHash, expiresAt, lastUsedAt, isEnabled, stamp } = row
    const isLive = () => {
      const held = this.held.get(id)
      return held?.stamp === stamp && this.#opens(held)
    }
    return {
      id,
      holderId,
      secretHash,
      expiresAt,
      isEnabled: isEnabled === 1,
      stamp,
      principal: { ...this.#kind.principalOf(row), isLive, use: isLive },
      lastUsedAt: known?.lastUsedAt ?? lastUsedAt,
      storedLastUsedAt: lastUsedAt,
    }
  }

  protected override gone(id: string, key: HeldKey): void {
    if (key.lastUsedAt !== key.storedLastUsedAt) {
      this.#leaving.set(id, key)
    }
  }

  protected override changed(): void {
    this.#proven.clear()
  }

  protected override storedOf({ principal, lastUsedAt: _, storedLastUsedAt: __, ...key }: HeldKey): unknown {
    const { isLive: _isLive, use: _use, ...holder } = principal
    return { ...key, holder }
  }

  /** Stores from time to time when keys were used last. Returns the function that does so once more and stops. */
  start(): () => Promise<void> {
    const cancels = [
      this.#clock.every(storeMs, () => void this.#store()),
      this.#clock.every(proofMs, () => this.#proven.clear()),
    ]
    return async () => {
      cancels.forEach((cancel) => cancel())
      await this.#store()
    }
  }

  /** The principal of a valid key. The check takes as long for an unknown key. */
  open({ id, secret }: PresentedKey): Principal | undefined {
    const key = this.held.get(id)
    const isProven = key !== undefined && this.#proven.get(secret) === key
    const isRight = isProven || verifySecret(key?.secretHash, secret)
    if (!key || !isRight || !this.#opens(key)) {
      return undefined
    }
    if (!isProven) {
      this.#proven.set(secret, key)
    }
    key.lastUsedAt = this.#clock.now()
    return key.principal
  }

  /** Whom a key stands for, if it works; being asked for is no use of it. */
  principalOf(id: string): Principal | undefined {
    const key = this.held.get(id)
    return key && this.#opens(key) ? key.principal : undefined
  }

  /** Whether an account or a user has a key that works. */
  hasWorkingOf(holderId: string): boolean {
    return [...this.held.values()].some((key) => key.holderId === holderId && this.#opens(key))
  }

  /** When a key was used last, to the millisecond; the database follows. Undefined for a key that is not held. */
  lastUsedAt(id: string): number | null | undefined {
    return (this.held.get(id) ?? this.#leaving.get(id))?.lastUsedAt
  }

  #opens({ isEnabled, expiresAt }: HeldKey): boolean {
    return isEnabled && (expiresAt === null || expiresAt > this.#clock.now())
  }

  /** Stores when keys were used last, where the database does not know. A failure is repeated the next time. */
  async #store(): Promise<void> {
    const keys = [...this.held.values(), ...this.#leaving.values()]
    const stored = keys
      .filter(({ lastUsedAt, storedLastUsedAt }) => lastUsedAt !== storedLastUsedAt)
      .map(async (key) => {
        const { id, lastUsedAt } = key
        await this.#lastUsed.run({ id, lastUsedAt })
        key.storedLastUsedAt = lastUsedAt
        if (this.#leaving.get(id) === key) {
          this.#leaving.delete(id)
        }
      })
    const failed = (await Promise.allSettled(stored)).find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') {
      this.#log.warn({ err: failed.reason as unknown }, 'It could not be stored when a key was used last.')
    }
  }
}
