interface Waiting {
  share: string
  start(): void
}

/** Limits concurrent work, in all and of each share. Waiting work starts in its order, past shares without room (T44). */
export class Slots {
  readonly #limits: { total: number; share: number }
  readonly #running = new Map<string, number>()
  readonly #waiting: Waiting[] = []
  #total = 0

  constructor(limits: { total: number; share: number }) {
    this.#limits = limits
  }

  async run<T>(share: string, work: () => Promise<T>): Promise<T> {
    if (this.#hasRoom(share)) {
      this.#count(share, 1)
    } else {
      await new Promise<void>((start) => this.#waiting.push({ share, start }))
    }
    try {
      return await work()
    } finally {
      this.#count(share, -1)
      this.#startNext()
    }
  }

  #hasRoom(share: string): boolean {
    return this.#total < this.#limits.total && (this.#running.get(share) ?? 0) < this.#limits.share
  }

  #count(share: string, change: 1 | -1): void {
    this.#total += change
    const running = (this.#running.get(share) ?? 0) + change
    if (running > 0) {
      this.#running.set(share, running)
    } else {
      this.#running.delete(share)
    }
  }

  #startNext(): void {
    const index = this.#waiting.findIndex(({ share }) => this.#hasRoom(share))
    if (index >= 0) {
      const [next] = this.#waiting.splice(index, 1)
      this.#count(next!.share, 1)
      next!.start()
    }
  }
}
