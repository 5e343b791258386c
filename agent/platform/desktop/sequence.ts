/** Runs work in order: synchronously while no earlier work waits. */
export class Sequence {
  readonly #waiting: (() => void | Promise<void>)[] = []
  #isRunning = false

  add(work: () => void | Promise<void>): void {
    this.#waiting.push(work)
    if (!this.#isRunning) {
      void this.#run()
    }
  }

  async #run() {
    this.#isRunning = true
    for (let work = this.#waiting.shift(); work; work = this.#waiting.shift()) {
      try {
        const done = work()
        if (done) {
          await done
        }
      } catch {
        // Callers that need the failure handle their own promise; other failures surface through `onEnd` of the
        // desktop.
      }
    }
    this.#isRunning = false
  }
}
