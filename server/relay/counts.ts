/** How many there are of each key; a key of which there are none takes no room. */
export class Counts {
  readonly #counts = new Map<string, number>()

  of(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  /** One more. What is returned takes it back, and must be called once. */
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
