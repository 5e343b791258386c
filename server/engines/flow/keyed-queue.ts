import type { Clock } from '../../ground/clock.ts'

/** Time after which a task mostly waits for something else, such as the answer of a device. */
const slowMs = 1_000

interface Part {
  running: number
  waiting: (() => void)[]
}

interface Queue {
  running: number
  /** Running tasks that have given their place away; as many as there are places at most. */
  slow: number
  /** Parts with tasks that run or wait; the part that was served last is at the end. */
  parts: Map<string, Part>
}

interface Places {
  ofKey: number
  ofPart: number
}

/**
 * Runs at most a number of tasks of one key at once, and of one part of that key, such as a credential of an account.
 * Further ones of a part wait, in order, and parts alternate. A task that takes longer than a second gives its place to the
 * next one.
 */
export class KeyedQueue {
  readonly #clock: Clock
  readonly #places: Places
  readonly #queues = new Map<string, Queue>()

  constructor(clock: Clock, places: Places) {
    this.#clock = clock
    this.#places = places
  }

  async run<Result>(key: string, name: string, task: () => Promise<Result>): Promise<Result> {
    const queue = this.#queues.get(key) ?? { running: 0, slow: 0, parts: new Map<string, Part>() }
    this.#queues.set(key, queue)
    const part = queue.parts.get(name) ?? { running: 0, waiting: [] }
    queue.parts.set(name, part)
    if (!this.#takePlace(queue, part)) {
      await new Promise<void>((resolve) => part.waiting.push(resolve))
    }
    let isSlow = false
    const cancel = this.#clock.every(slowMs, () => {
      if (!isSlow && queue.slow < this.#places.ofKey) {
        isSlow = true
        queue.slow++
        this.#release(queue, name, part)
      }
    })
    try {
      return await task()
    } finally {
      cancel()
      if (isSlow) {
        queue.slow--
      } else {
        this.#release(queue, name, part)
      }
      if (queue.running + queue.slow === 0) {
        this.#queues.delete(key)
      }
    }
  }

  #takePlace(queue: Queue, part: Part): boolean {
    const isFree = queue.running < this.#places.ofKey && part.running < this.#places.ofPart
    if (isFree) {
      queue.running++
      part.running++
    }
    return isFree
  }

  #release(queue: Queue, name: string, part: Part): void {
    queue.running--
    part.running--
    if (part.running === 0 && part.waiting.length === 0) {
      queue.parts.delete(name)
    }
    for (const [other, next] of queue.parts) {
      if (next.waiting.length > 0 && this.#takePlace(queue, next)) {
        queue.parts.delete(other)
        queue.parts.set(other, next)
        next.waiting.shift()!()
        return
      }
    }
  }
}
