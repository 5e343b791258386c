import { AsyncLocalStorage } from 'node:async_hooks'
import type { Log } from '../log.ts'

/**
 * Work that goes on for a while, such as a transfer, and what has to hold for it as long as it does (T29). It is looked
 * at after every commit, and from time to time for what ends by the clock.
 */
export class RunningWork {
  readonly #log: Log
  /** What a check writes waits for a turn of its own, after that of the commit. */
  readonly #outsideOfTurns = AsyncLocalStorage.snapshot()
  readonly #checks = new Set<() => void>()

  constructor(log: Log) {
    this.#log = log
  }

  /** Has `check` called until the function that is returned is. */
  add(check: () => void): () => void {
    this.#checks.add(check)
    return () => void this.#checks.delete(check)
  }

  checkAll(): void {
    for (const check of this.#checks) {
      try {
        this.#outsideOfTurns(check)
      } catch (error) {
        this.#log.error({ err: error }, 'Running work could not be checked.')
      }
    }
  }
}
