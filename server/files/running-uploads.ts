interface Running {
  end(reason: Error): void
  ended: Promise<void>
}

/** Requests that send a piece of an upload: at most one per upload. */
export class RunningUploads {
  readonly #running = new Map<string, Running>()

  /** Aborts the running request of this upload, if any, and waits for its end. */
  async stop(key: string, reason: Error): Promise<void> {
    for (let running = this.#running.get(key); running; running = this.#running.get(key)) {
      running.end(reason)
      await running.ended
    }
  }

  /** Registers a request, after aborting the running one; the returned function unregisters it. */
  async take(key: string, reason: Error, end: (reason: Error) => void): Promise<() => void> {
    // Among several requests that wait for the same upload, each is aborted by the next.
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
