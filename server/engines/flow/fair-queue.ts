/**
 * Runs one function per event-loop iteration, between which everything else is served. Addresses alternate, so that the
 * work of one address delays another by one function at most.
 */
export class FairQueue {
  /** Queued functions by address: a served address moves to the end. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #isRunning = false

  add(address: string, run: () => void): void {
    const others = this.#waiting.get(address)
    if (others) {
      others.push(run)
    } else {
      this.#waiting.set(address, [run])
    }
    if (!this.#isRunning) {
      this.#isRunning = true
      setImmediate(() => this.#runNext())
    }
  }

  #runNext(): void {
    this.#next()?.()
    this.#isRunning = this.#waiting.size > 0
    if (this.#isRunning) {
      setImmediate(() => this.#runNext())
    }
  }

  #next(): (() => void) | undefined {
    for (const [address, runs] of this.#waiting) {
      this.#waiting.delete(address)
      const first = runs.shift()
      if (runs.length > 0) {
        this.#waiting.set(address, runs)
      }
      return first
    }
    return undefined
  }
}
