import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database } from '../engines/database/database.ts'
import type { Gate } from '../engines/flow/gate.ts'
import type { Log } from '../ground/log.ts'

/** Time limit of running work whose rights cannot be known. */
const timeoutMs = 10_000

/** Gate of the bytes of running work: closed while another server may have ended the right to them unnoticed. */
export const rightsGate =
  (database: Database): Gate =>
  () =>
    database.isCurrent() ? undefined : database.whenCurrent(timeoutMs)

/** Waits until the rights of running work are known; rejects after 10 s. */
export async function untilRightsKnown(database: Database): Promise<void> {
  await rightsGate(database)()
}

/**
 * Checks of running work, such as the permission of a transfer (T29). They run after every commit, and periodically for
 * expiry.
 */
export class RunningWork {
  readonly #log: Log
  /** Leaves the async context of the commit: writes of a check queue as separate writes. */
  readonly #outsideOfWrites = AsyncLocalStorage.snapshot()
  readonly #checks = new Set<() => void>()

  constructor(log: Log) {
    this.#log = log
  }

  /** Calls `check` until the returned function is called. */
  add(check: () => void): () => void {
    this.#checks.add(check)
    return () => void this.#checks.delete(check)
  }

  checkAll(): void {
    for (const check of this.#checks) {
      try {
        this.#outsideOfWrites(check)
      } catch (error) {
        this.#log.error({ err: error }, 'The permissions of running work could not be checked.')
      }
    }
  }
}
