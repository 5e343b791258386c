/** Least time from one group to the next. */
const gatherMs = 50
/** Waiting items that start at once: a larger group would save little. */
const enoughItems = 32

interface Waiting<Item, Result> {
  sender: unknown
  item: Item
  resolve(result: Promise<Result>): void
}

/**
 * Runs work on items in groups, and resolves all of a group at once, so that what follows is grouped too. Waking a thread
 * for each item costs half as much as verifying its signature. A sender of the last group waits for its answer before it
 * sends more, so its next item starts at once, with those that wait.
 */
export class Gathered<Item, Result> {
  readonly #work: (item: Item) => Promise<Result>
  #waiting: Waiting<Item, Result>[] = []
  #timer: NodeJS.Timeout | undefined
  #startedAt = -Infinity
  #lastSenders = new Set<unknown>()

  constructor(work: (item: Item) => Promise<Result>) {
    this.#work = work
  }

  run(sender: unknown, item: Item): Promise<Result> {
    return new Promise((resolve) => {
      this.#waiting.push({ sender, item, resolve })
      const waitMs = this.#startedAt + gatherMs - performance.now()
      if (waitMs <= 0 || this.#waiting.length >= enoughItems || this.#lastSenders.has(sender)) {
        void this.#start()
      } else {
        this.#timer ??= setTimeout(() => void this.#start(), waitMs)
      }
    })
  }

  async #start(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#startedAt = performance.now()
    const group = this.#waiting
    this.#waiting = []
    this.#lastSenders = new Set(group.map(({ sender }) => sender))
    const results = group.map(({ item }) => this.#work(item))
    await Promise.allSettled(results)
    group.forEach(({ resolve }, index) => resolve(results[index]!))
  }
}
