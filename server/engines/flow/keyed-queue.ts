interface Queue {
  running: number
  waiting: (() => void)[]
}

/** Runs at most a number of tasks of one key at once; further ones of that key wait, in order. */
export class KeyedQueue {
  readonly #most: number
  readonly #queues = new Map<string, Queue>()

  constructor(most: number) {
    this.#most = most
  }

  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const queue = this.#queues.get(key) ?? { running: 0, waiting: [] }
    this.#queues.set(key, queue)
    if (queue.running < this.#most) {
      queue.running++
    } else {
      await new Promise<void>((resolve) => queue.waiting.push(resolve))
    }
    try {
      return await task()
    } finally {
      this.#release(key, queue)
    }
  }

  #release(key: string, queue: Queue): void {
    const next = queue.waiting.shift()
    if (next) {
      next()
    } else if (--queue.running === 0) {
      this.#queues.delete(key)
    }
  }
}
