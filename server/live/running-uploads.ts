interface Running {
  end(reason: Error): void
  ended: Promise<void>
}

/** Requests that send a piece of an upload: one at a time for each upload. */
export class RunningUploads {
  readonly #running = new Map<string, Running>()

  /** Ends the request that runs for this upload, if one does, and waits for that. */
  async stop(key: string, reason: Error): Promise<void> {
    for (let running = this.#running.get(key); running; running = this.#running.get(key)) {
      running.end(reason)
      await running.ended
    }
  }

  /** A request takes the place of one that runs; the function that is returned says that it is over. */
  async take(key: string, reason: Error, end: (reason: Error) => void): Promise<() => void> {
    // Of several that wait for the same one, the first takes its place and is ended by the next.
    while (this.#running.has(key)) {
      await this.stop(key, reason)
    }
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    this.#running.set(key, { end, ended })
    return () => {
      this.#running.delete(key)
      resolve()
    }
  }
}
