/** A map that keeps a number of entries: those that were set last. */
export class RecentEntries<V> extends Map<string, V> {
  readonly #most: number

  constructor(most: number) {
    super()
    this.#most = most
  }

  override set(name: string, value: V): this {
    this.delete(name)
    super.set(name, value)
    const [oldest] = this.keys()
    if (this.size > this.#most && oldest !== undefined) {
      this.delete(oldest)
    }
    return this
  }
}
