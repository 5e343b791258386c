/** Runs work one at a time, in the order of the calls. Work that fails does not affect the work behind it. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => undefined)
    return result
  }

  /** Resolves when no work is left, work that is queued meanwhile included. */
  async idle(): Promise<void> {
    let seen
    do {
      seen = this.#last
      await seen
    } while (seen !== this.#last)
  }
}

/** A mutex for each key; a key takes memory only while it has work. */
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
