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

/** Sends the statements that store items in a transaction. Returns the answers that it does not wait for. */
export type Store<Item> = (
  transaction: Transaction,
  items: readonly Item[],
) => Promise<readonly Promise<unknown>[] | void>

/** Waits for all statements, also when one fails: a statement that is sent after the rollback would be stored. */
async function together(statements: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(statements)).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') {
    throw failed.reason
  }
}

/** Marks a promise as handled that nobody awaits yet. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

interface Added {
  store: Store<unknown>
  items: readonly unknown[]
}

/** Items that the writes of a transaction append to the same place, such as a log: stored together, before its commit. */
export class BeforeCommit {
  readonly #added = new PerTransaction<Added>()
  /** Transactions whose items are stored. */
  readonly #stored = new WeakSet<Transaction>()

  add<Item>(transaction: Transaction, store: Store<Item>, items: readonly Item[]): void {
    if (this.#stored.has(transaction)) {
      throw new Error('An item was added after those of its transaction were stored.')
    }
    this.#added.add(transaction, { store: store as Store<unknown>, items })
  }

  savepoint(transaction: Transaction): () => void {
    return this.#added.savepoint(transaction)
  }

  /** Stores what was added, in this order for each place. Resolves when all statements are sent. */
  async store(transaction: Transaction): Promise<{ answered: Promise<void> }> {
    this.#stored.add(transaction)
    const byStore = Map.groupBy(this.#added.of(transaction), ({ store }) => store)
    const answers: Promise<void>[] = []
    const sent = [...byStore].map(async ([store, added]) => {
      const items = added.flatMap((each) => each.items)
      answers.push(handled(together((await store(transaction, items)) ?? [])))
    })
    await together(sent)
    return { answered: handled(together(answers)) }
  }
}
