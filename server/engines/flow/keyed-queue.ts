import type { Clock } from '../../ground/clock.ts'

/** Time after which a task mostly waits for something else, such as the answer of a device. */
const slowMs = 1_000

/** Slow tasks of one key for each of its places: they cost memory. */
const slowPerPlace = 8

interface Queue {
  running: number
  /** Running tasks that have given their place away. */
  slow: number
  waiting: (() => void)[]
}

/**
 * Runs at most a number of tasks of one key at once; further ones of that key wait, in order. A task that takes longer
 * than a second gives its place to the next one.
 */
export class KeyedQueue {
  readonly #clock: Clock
  readonly #most: number
  readonly #queues = new Map<string, Queue>()

  constructor(clock: Clock, most: number) {
    this.#clock = clock
    this.#most = most
  }

  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const queue = this.#queues.get(key) ?? { running: 0, slow: 0, waiting: [] }
    this.#queues.set(key, queue)
    if (queue.running < this.#most) {
      queue.running++
    } else {
      await new Promise<void>((resolve) => queue.waiting.push(resolve))
    }
    let isSlow = false
    const cancel = this.#clock.after(slowMs, () => {
      isSlow = queue.slow < this.#most * slowPerPlace
      if (isSlow) {
        queue.slow++
        this.#release(queue)
      }
    })
    try {
      return await task()
    } finally {
      cancel()
      if (isSlow) {
        queue.slow--
      } else {
        this.#release(queue)
      }
      if (queue.running + queue.slow === 0) {
        this.#queues.delete(key)
      }
    }
  }

  #release(queue: Queue): void {
    const next = queue.waiting.shift()
    if (next) {
      next()
    } else {
      queue.running--
    }
  }
}
