import type { Transaction } from 'sequelize'

/** Lists that the writes of transactions add to. */
export class PerTransaction<Item> {
  readonly #added = new WeakMap<Transaction, Item[]>()

  add(transaction: Transaction, item: Item): void {
    const added = this.#added.get(transaction)
    if (added) {
      added.push(item)
    } else {
      this.#added.set(transaction, [item])
    }
  }

  /** Returns a function that drops what is added after this call, when its write is rolled back. */
  savepoint(transaction: Transaction): () => void {
    const before = this.of(transaction).length
    return () => void this.#added.get(transaction)?.splice(before)
  }

  of(transaction: Transaction): readonly Item[] {
    return this.#added.get(transaction) ?? []
  }
}
