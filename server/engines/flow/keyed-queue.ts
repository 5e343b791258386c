interface Line {
  running: number
  waiting: (() => void)[]
}

/** Runs at most a number of works of one key at once; further ones of that key wait in its own line. */
export class KeyedQueue {
  readonly #most: number
  readonly #lines = new Map<string, Line>()

  constructor(most: number) {
    this.#most = most
  }

  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const line = this.#lines.get(key) ?? { running: 0, waiting: [] }
    this.#lines.set(key, line)
    if (line.running < this.#most) {
      line.running++
    } else {
      await new Promise<void>((resolve) => line.waiting.push(resolve))
    }
    try {
      return await work()
    } finally {
      this.#leave(key, line)
    }
  }

  #leave(key: string, line: Line): void {
    const next = line.waiting.shift()
    if (next) {
      next()
    } else if (--line.running === 0) {
      this.#lines.delete(key)
    }
  }
}
