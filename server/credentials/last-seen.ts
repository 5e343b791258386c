import type { Batch } from '../engines/database/database.ts'
import type { MirrorDependencies } from '../call/mirrors/mirror.ts'

const storeMs = 60_000

interface Use {
  key: string
  at: number
  /** Null leaves the stored address. */
  address: string | null
}

/** Last use of the sign-ins of one table, which the database gets once a minute: most requests write nothing. */
export class LastSeen {
  readonly #deps: Omit<MirrorDependencies, 'models'>
  readonly #batch: Batch<Use>
  readonly #uses = new Map<string, Use>()

  constructor(deps: Omit<MirrorDependencies, 'models'>, table: 'sessions' | 'token_families', key: 'tokenHash' | 'id') {
    this.#deps = deps
    this.#batch = deps.database.batch<Use>({
      sql: `UPDATE ${table} SET lastSeenAt = max(lastSeenAt, CAST(u.value ->> 'at' AS BIGINT)),
          remoteAddress = coalesce(u.value ->> 'address', remoteAddress)
        FROM jsonb_each(?) AS u WHERE ${table}.${key} = u.value ->> 'key' RETURNING ${table}.${key} AS key`,
      key: (use) => use.key,
      isFollowedByCaller: true,
    })
  }

  /** Records a use, with the address of its request where there is one. */
  note(key: string, address: string | null = null): void {
    this.#uses.set(key, { key, at: this.#deps.clock.now(), address: address ?? this.#uses.get(key)?.address ?? null })
  }

  /** Use that is not stored yet. */
  of(key: string): { at: number; address: string | null } | undefined {
    return this.#uses.get(key)
  }

  /** Starts storing periodically. The returned function stores once more and stops. */
  start(): () => Promise<void> {
    const cancel = this.#deps.clock.every(storeMs, () => void this.#store())
    return async () => {
      cancel()
      await this.#store()
    }
  }

  /** Stores the uses. A failure is retried at the next interval. */
  async #store(): Promise<void> {
    const stored = [...this.#uses.values()].map(async (use) => {
      await this.#batch.run(use)
      if (this.#uses.get(use.key) === use) {
        this.#uses.delete(use.key)
      }
    })
    const failed = (await Promise.allSettled(stored)).find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') {
      this.#deps.log.warn({ err: failed.reason as unknown }, 'The last use of sign-ins could not be stored.')
    }
  }
}
