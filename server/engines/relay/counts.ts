/** Counts by key; a key whose count is 0 uses no memory. */
export class Counts {
  readonly #counts = new Map<string, number>()

  of(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  /** Increments a count. The returned function decrements the count, and must be called once. */
  add(key: string): () => void {
    this.#counts.set(key, this.of(key) + 1)
    return () => {
      const left = this.of(key) - 1
      if (left > 0) {
        this.#counts.set(key, left)
      } else {
        this.#counts.delete(key)
      }
    }
  }
}
