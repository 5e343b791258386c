import type { Clock } from '../ground/clock.ts'
import type { Batch, Touched } from '../engines/database/database.ts'
import type { Log } from '../ground/log.ts'
import type { Principal } from '../ground/principal.ts'
import { verifySecret } from '../engines/secrets/hashes.ts'
import type { PresentedKey } from './key-format.ts'
import { keysIn, Mirror, type MirrorDependencies } from '../call/mirrors/mirror.ts'

/** Interval of storing `lastUsedAt`. */
const storeMs = 60_000

/** Time for which a verified secret is cached. A hash takes about 4 microseconds, a tenth of a small request. */
const proofMs = 30_000

/** Columns that the query of every kind of key has; `key` is the key's id. */
export interface StoredKey {
  key: string
  /** The account or user that the key authenticates. */
  holderId: string
  secretHash: string
  expiresAt: number | null
  lastUsedAt: number | null
  /** 0 while the key is rejected, such as a key of a disabled account. */
  isEnabled: number
  /** Connections made with the key end when the stamp changes, although the key itself still works. */
  stamp: string
}

/** A kind of key: its tables, and its principal. */
export interface KeyKind<Row extends StoredKey> {
  /** Selects every key that is not revoked. */
  sql: string
  tables: { keys: string; holders: string }
  /** A batch statement that stores `{ id, lastUsedAt }`. */
  lastUsedSql: string
  principalOf(row: Row): Omit<Principal, 'isLive' | 'use'>
}

interface LiveKey {
  id: string
  holderId: string
  secretHash: string
  expiresAt: number | null
  isEnabled: boolean
  stamp: string
  principal: Principal
  lastUsedAt: number | null
  /** `lastUsedAt` in the database. */
  storedLastUsedAt: number | null
}

const laterOf = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.max(a, b))

/** Mirror of the keys of one kind that can still work, with their principals, so that checking a key needs no query. */
export class KeyMirror<Row extends StoredKey> extends Mirror<Row, LiveKey> {
  readonly #clock: Clock
  readonly #log: Log
  readonly #kind: KeyKind<Row>
  readonly #lastUsed: Batch<{ id: string; lastUsedAt: number | null }>
  /** Verified keys by secret, found by hash lookup instead of a comparison by character. */
  readonly #proven = new Map<string, LiveKey>()
  /** Deleted keys whose `lastUsedAt` is not stored yet. */
  readonly #deleted = new Map<string, LiveKey>()
  /** Keys that expired before are not in memory. */
  #droppedBefore = 0
  /** Ids of the keys of each holder, which every commit may ask for once per running session. */
  readonly #idsOf = new Map<string, Set<string>>()

  constructor({ database, clock, log }: Omit<MirrorDependencies, 'models'>, kind: KeyKind<Row>) {
    super(database)
    this.#clock = clock
    this.#log = log
    this.#kind = kind
    this.#lastUsed = database.batch({ sql: kind.lastUsedSql, key: ({ id }) => id, isFollowedByCaller: true })
  }

  protected get sql(): string {
    return `SELECT * FROM (${this.#kind.sql}) AS held WHERE expiresAt IS NULL OR expiresAt >= ${this.#droppedBefore}`
  }

  override keysOf(touched: Touched): Iterable<string> {
    const { keys, holders } = this.#kind.tables
    const held = keysIn(touched, holders).flatMap((holderId) => [...(this.#idsOf.get(holderId) ?? [])])
    return [...keysIn(touched, keys), ...held]
  }

  protected override entryOf(row: Row, _: readonly Row[], known: LiveKey | undefined): LiveKey {
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
      // The database lags behind this server, and other servers store their uses.
      lastUsedAt: laterOf(known?.lastUsedAt ?? null, lastUsedAt),
      storedLastUsedAt: lastUsedAt,
    }
  }

  protected override added(id: string, { holderId }: LiveKey): void {
    this.#idsOf.set(holderId, (this.#idsOf.get(holderId) ?? new Set<string>()).add(id))
  }

  protected override removed(id: string, key: LiveKey): void {
    const ids = this.#idsOf.get(key.holderId)
    if (ids?.delete(id) && ids.size === 0) {
      this.#idsOf.delete(key.holderId)
    }
    if (key.lastUsedAt !== key.storedLastUsedAt) {
      this.#deleted.set(id, key)
    }
  }

  protected override changed(): void {
    this.#proven.clear()
  }

  protected override storedOf({ principal, lastUsedAt: _, storedLastUsedAt: __, ...key }: LiveKey): unknown {
    const { isLive: _isLive, use: _use, ...holder } = principal
    return { ...key, holder }
  }

  /** Starts storing `lastUsedAt` periodically. The returned function stores once more and stops. */
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

  /** Drops keys that expired before a time. Their rows stay, without a limit. */
  dropExpired(before: number): void {
    this.#droppedBefore = Math.max(this.#droppedBefore, before)
    for (const [id, key] of this.held) {
      if (key.expiresAt !== null && key.expiresAt < this.#droppedBefore) {
        this.held.delete(id)
        this.removed(id, key)
      }
    }
    this.changed()
  }

  /** Principal of a valid key. The check takes equally long for an unknown key. */
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

  /** Principal of a working key, without counting as a use. */
  principalOf(id: string): Principal | undefined {
    const key = this.held.get(id)
    return key && this.#opens(key) ? key.principal : undefined
  }

  /** Principal of any working key of an account or a user, without counting as a use. */
  principalOfHolder(holderId: string): Principal | undefined {
    for (const id of this.#idsOf.get(holderId) ?? []) {
      const principal = this.principalOf(id)
      if (principal) {
        return principal
      }
    }
    return undefined
  }

  /** End of a key; null without one. */
  expiresAt(id: string): number | null {
    return this.held.get(id)?.expiresAt ?? null
  }

  /** Last use of a key, to the millisecond; the database lags behind. Undefined for an unknown key. */
  lastUsedAt(id: string): number | null | undefined {
    return (this.held.get(id) ?? this.#deleted.get(id))?.lastUsedAt
  }

  #opens({ isEnabled, expiresAt }: LiveKey): boolean {
    return isEnabled && (expiresAt === null || expiresAt > this.#clock.now())
  }

  /** Stores changed `lastUsedAt` values. A failure is retried at the next interval. */
  async #store(): Promise<void> {
    const keys = [...this.held.values(), ...this.#deleted.values()]
    const stored = keys
      .filter(({ lastUsedAt, storedLastUsedAt }) => lastUsedAt !== storedLastUsedAt)
      .map(async (key) => {
        const { id, lastUsedAt } = key
        await this.#lastUsed.run({ id, lastUsedAt })
        key.storedLastUsedAt = lastUsedAt
        if (this.#deleted.get(id) === key) {
          this.#deleted.delete(id)
        }
      })
    const failed = (await Promise.allSettled(stored)).find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') {
      this.#log.warn({ err: failed.reason as unknown }, 'The last use of keys could not be stored.')
    }
  }
}
