/** Runs work one at a time, in the order of the calls. A failure does not affect the work queued after it. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => undefined)
    return result
  }

  /** Resolves when all work is done, including work queued meanwhile. */
  async idle(): Promise<void> {
    let seen
    do {
      seen = this.#last
      await seen
    } while (seen !== this.#last)
  }
}

/** A mutex per key; a key uses memory only while it has work. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>()

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(work)
    const ended = result.catch(() => undefined)
    this.#last.set(key, ended)
    try {
      return await result
    } finally {
      if (this.#last.get(key) === ended) {
        this.#last.delete(key)
      }
    }
  }
}
