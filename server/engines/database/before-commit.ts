import type { Transaction } from 'sequelize'

/** Stores items in a transaction. */
export type Store<Item> = (transaction: Transaction, items: readonly Item[]) => Promise<void>

interface Added {
  store: Store<unknown>
  items: readonly unknown[]
}

/** Items that the writes of a transaction append to the same place, such as a log: stored together, before its commit. */
export class BeforeCommit {
  readonly #added = new WeakMap<Transaction, Added[]>()
  /** Transactions whose items are stored. */
  readonly #stored = new WeakSet<Transaction>()

  add<Item>(transaction: Transaction, store: Store<Item>, items: readonly Item[]): void {
    if (this.#stored.has(transaction)) {
      throw new Error('An item was added after those of its transaction were stored.')
    }
    const added = this.#added.get(transaction) ?? []
    this.#added.set(transaction, added)
    added.push({ store: store as Store<unknown>, items })
  }

  /** Returns a function that drops what is added after this call, when its write is rolled back. */
  savepoint(transaction: Transaction): () => void {
    const before = this.#added.get(transaction)?.length ?? 0
    return () => void this.#added.get(transaction)?.splice(before)
  }

  /** Stores what was added, in this order for each place. */
  async store(transaction: Transaction): Promise<void> {
    this.#stored.add(transaction)
    const byStore = Map.groupBy(this.#added.get(transaction) ?? [], ({ store }) => store)
    for (const [store, added] of byStore) {
      await store(
        transaction,
        added.flatMap(({ items }) => items),
      )
    }
  }
}
