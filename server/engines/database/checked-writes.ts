import { AsyncLocalStorage } from 'node:async_hooks'

/** Throws to reject a write. */
export type WriteCheck = () => void

export class CheckedWrites {
  readonly #running = new AsyncLocalStorage<{ check: WriteCheck | undefined }>()

  /** Runs work whose writes are checked, but not those of what it leaves running. */
  async run<T>(check: WriteCheck | undefined, work: () => Promise<T>): Promise<T> {
    const running = { check }
    try {
      return await this.#running.run(running, work)
    } finally {
      running.check = undefined
    }
  }

  /** Check of a write that is requested now. It passes once the work is over: the write has outlived it. */
  get current(): WriteCheck | undefined {
    const running = this.#running.getStore()
    return running?.check && (() => running.check?.())
  }
}
