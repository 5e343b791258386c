import type { Transaction } from 'sequelize'
import { CheckedWrites } from './checked-writes.ts'
import { Commits } from './commits.ts'
import type { Database, Engine } from './engine.ts'
import { createBatch, type Also, type Batch, type BatchOptions } from './group-commit.ts'
import { SharedWrites } from './shared-writes.ts'
import type { WriteQueue } from './write-queue.ts'

export interface WriteObserver {
  /** Runs a transaction, which calls `begun` when it gets the writer. */
  write<T>(work: (begun: () => void) => Promise<T>): Promise<T>
  /** Called after a batch was stored. */
  batch(seconds: number): void
}

/** Stores a batch, and what belongs to its items, in one transaction. */
async function storeWith<Rows>(
  store: () => Promise<Rows>,
  also: readonly Also[],
  transaction: Transaction,
): Promise<Rows> {
  const rows = await store()
  for (const add of also) {
    await add(transaction)
  }
  return rows
}

/** Runs of the transaction of a batch that the database undoes because of others. */
const mostRuns = 3

async function repeated<Rows>(commit: () => Promise<Rows>, isUndone: Engine['isUndone']): Promise<Rows> {
  for (let runs = 1; ; runs += 1) {
    try {
      return await commit()
    } catch (error) {
      if (!isUndone(error) || runs === mostRuns) {
        throw error
      }
    }
  }
}

type Work<T> = (transaction: Transaction) => Promise<T>

/** Combines the parts of an engine. `cleanup` runs when the database is closed. */
export function assemble(
  engine: Engine,
  queue: WriteQueue,
  observer: WriteObserver | undefined,
  cleanup: AsyncDisposableStack,
): Database {
  const { writer, sequelize } = engine
  const commits = new Commits(engine)
  let closing: Promise<void> | undefined
  const batches = new Map<object, object>()
  const shared = new SharedWrites(engine, queue, commits)
  const checks = new CheckedWrites()
  const checked = <T>(work: Work<T>): Work<T> => {
    const check = checks.current
    return check
      ? async (transaction) => {
          check()
          return work(transaction)
        }
      : work
  }

  const database: Database = {
    kind: engine.kind,
    sequelize,
    async write(work) {
      queue.admit()
      const write = checked(work)
      return queue.enqueue(() => commits.transact(write))
    },
    async writeUrgent(work) {
      queue.admit()
      const write = checked(work)
      return queue.enqueueUrgent(() => commits.transact(write))
    },
    writeShared: (work) => shared.run(checked(work)),
    storeBeforeCommit: (transaction, store, items) => commits.before.add(transaction, store, items),
    afterCommit: (transaction, hook) => commits.after.add(transaction, hook),
    checkingWrites: (check, work) => checks.run(check, work),
    uncheckedWrites: (work) => checks.run(undefined, work),
    async watch(tables, follow, reload) {
      cleanup.defer(await queue.enqueue(() => commits.watch(tables, { follow, reload })))
    },
    batch<Item>(options: BatchOptions<Item>) {
      const known = batches.get(options)
      if (known) {
        return known as Batch<Item>
      }
      const batch = createBatch(writer, queue, options, {
        async commit(store, runs) {
          const begunAt = performance.now()
          const also = runs.flatMap((run) => run.also ?? [])
          const isChecked = runs.some(({ check }) => check)
          const commit = () =>
            also.length > 0
              ? commits.transact((transaction) => storeWith(store, also, transaction))
              : commits.statement(store, { ...options, isChecked })
          const rows = await repeated(commit, engine.isUndone)
          observer?.batch((performance.now() - begunAt) / 1000)
          return rows
        },
        isOfItem: engine.isOfItem,
        failed: engine.failed,
        check: () => checks.current,
      })
      cleanup.defer(() => batch.finalize())
      batches.set(options, batch)
      return batch
    },
    all: (sql, params = []) => engine.read(sql, params),
    atBegin: (sql) => commits.atBegin(sql),
    allIn: async (transaction, sql, params) => {
      commits.requireOpen(transaction)
      return writer.all(sql, params)
    },
    checkpoint() {
      queue.admit()
      return queue.enqueue(() => engine.checkpoint())
    },
    noteIdentity: () => engine.noteIdentity(),
    found: engine.found,
    damage: () => engine.damage(),
    checkIntegrity: () => engine.checkIntegrity(),
    size: () => engine.size(),
    copyTo: (file) => engine.copyTo(file),
    catchUp: () => engine.catchUp(),
    isCurrent: () => engine.isCurrent(),
    whenCurrent: (timeoutMs) => engine.whenCurrent(timeoutMs),
    close: () => (closing ??= queue.close().then(() => engine.close())),
  }
  return observer ? followed(database, observer) : database
}

/** A database whose transactions an observer follows. */
function followed(database: Database, observer: WriteObserver): Database {
  type Write = Database['write']
  const follow =
    (write: Write): Write =>
    (work) =>
      observer.write((begun) =>
        write((transaction) => {
          begun()
          return work(transaction)
        }),
      )
  return {
    ...database,
    write: follow((work) => database.write(work)),
    writeUrgent: follow((work) => database.writeUrgent(work)),
    writeShared: follow((work) => database.writeShared(work)),
  }
}
