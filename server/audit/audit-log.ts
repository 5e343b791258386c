import { AsyncLocalStorage } from 'node:async_hooks'
import type { Transaction } from 'sequelize'
import { instant } from '../ground/instant.ts'
import type { AuditKind } from '../../shared/audit-kinds.ts'
import type { Actor } from '../ground/actor.ts'
import type { Clock } from '../ground/clock.ts'
import type { Database } from '../engines/database/database.ts'
import type { Log } from '../ground/log.ts'
import type { AuditCountRow } from './tables.ts'
import type { Models } from '../call/models.ts'
import type { Sealer } from '../engines/secrets/sealer.ts'
import { HeadNote, problemWith } from './head-note.ts'
import { endsOfOpenSessions, endsOfSessionsOn } from './open-sessions.ts'
import { AuditBudget } from './budget.ts'
import { appendRows, placeSql, type Place } from './append.ts'
import { markRows, removeRows } from './retention.ts'
import { verifyChain, type ChainCheck } from './verify.ts'
import { columnsOf, type AuditEvent, type EventColumns } from './event.ts'

/** Interval in which counted events become rows. */
const countsMs = 15 * 60_000

/** Interval of noting the newest row beside the database. */
const noteMs = 10_000

interface Dependencies {
  /** The data folder. */
  directory: string
  database: Database
  models: Models
  sealer: Sealer
  clock: Clock
  log: Log
  /** Adds what follows from events to their transaction. */
  follow?: (transaction: Transaction, events: readonly EventColumns[]) => void
}

/** Rows of one event: mostly one. */
interface EventRows {
  accountId: string | null
  rows: readonly [EventColumns, ...EventColumns[]]
}

/** The audit log: its only writer. A row is never changed; the oldest are removed once a stub seals their place. */
export class AuditLog {
  readonly #deps: Dependencies
  readonly #budget: AuditBudget
  readonly #note: HeadNote
  readonly #placeIn: (transaction: Transaction) => Promise<Place[]>
  #notedId = 0
  #waiting = 0
  /** Called for each event recorded outside of the transaction of a change. */
  onRecorded: ((event: Pick<AuditEvent, 'kind' | 'outcome'>) => void) | undefined
  #last: Promise<void> = Promise.resolve()
  #check: Promise<ChainCheck> | undefined
  /** Leaves the async context of a write: events noted while a commit is followed queue as a separate write. */
  readonly #outsideOfWrites = AsyncLocalStorage.snapshot()

  constructor(deps: Dependencies) {
    this.#deps = deps
    this.#budget = new AuditBudget(deps.clock)
    this.#note = new HeadNote(deps.directory, deps.sealer)
    this.#placeIn = deps.database.atBegin<Place>(placeSql)
  }

  /**
   * Records a start, and before it the sessions that the previous run left open, unless another server runs, and a log that
   * was replaced by an older one.
   */
  async begin(actor: Actor, version: string, { isFirst = true }: { isFirst?: boolean } = {}): Promise<void> {
    const { database, log } = this.#deps
    const problem = await problemWith(await this.#note.read(), database)
    if (problem !== undefined) {
      log.warn({ problem }, 'Events of the audit log are missing.')
      await this.record(actor, { kind: 'server.audit-log-lost', tenantId: null, details: { problem } })
    }
    if (isFirst) {
      await this.#end(await endsOfOpenSessions(database, this.#deps.clock.now()))
    }
    await this.record(actor, { kind: 'server.started', tenantId: null, details: { version } })
    await this.noteHead()
  }

  /** Records the ends of sessions that servers without an orderly stop have left open. */
  async endSessionsOf(serverIds: readonly string[]): Promise<void> {
    const { database, clock } = this.#deps
    await this.#end(await endsOfSessionsOn(database, serverIds, clock.now()))
  }

  async end(actor: Actor): Promise<void> {
    await this.record(actor, { kind: 'server.stopped', tenantId: null })
    await this.noteHead()
  }

  /** Turns counted events into rows, now and periodically, and notes the newest row. Returns a stop function. */
  start(): () => void {
    const store = () => this.#inBackground(() => this.storeCounts())
    store()
    const { clock } = this.#deps
    const stops = [clock.every(countsMs, store), clock.every(noteMs, () => this.#inBackground(() => this.noteHead()))]
    return () => stops.forEach((stop) => stop())
  }

  /** Notes the newest row beside the database. */
  async noteHead(): Promise<void> {
    const head = await this.#deps.models.AuditHead.findByPk('server')
    if (head && head.lastId !== this.#notedId) {
      const { lastId, hash } = head
      await this.#note.write({ lastId, hash, at: this.#deps.clock.now() })
      this.#notedId = lastId
    }
  }

  /**
   * Records an event in a transaction that it shares with other writes that wait at the same time; one that cannot be
   * stored fails alone. Await it before the answer: then the row survives a crash. Rejects with 429 for a deed past the limit of its kind.
   */
  record<K extends AuditKind>(actor: Actor, event: AuditEvent<K>): Promise<void> {
    return this.recordInParts(actor, [event])
  }

  /** Records one event in several rows, which together take one place of the budget. */
  async recordInParts<K extends AuditKind>(actor: Actor, parts: readonly AuditEvent<K>[]): Promise<void> {
    const now = this.#deps.clock.now()
    const accountId = actor.source.accountId ?? actor.id
    const [first, ...further] = parts.map((part) => columnsOf(actor, part as AuditEvent, now))
    if (first === undefined) {
      return
    }
    this.#budget.requireDeed(first, accountId)
    this.onRecorded?.(parts[0] as AuditEvent)
    this.#last = this.#outsideOfWrites(() => this.#recordAlone({ accountId, rows: [first, ...further] }))
    await this.#last
  }

  /** Records an event that no answer depends on, such as the end of a session; safe inside a write, too. */
  note<K extends AuditKind>(actor: Actor, event: AuditEvent<K>): void {
    this.#inBackground(() => this.record(actor, event))
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Resolves once every event recorded so far is stored, or reported as failed. */
  async settled(): Promise<void> {
    await this.#last.catch(() => {})
  }

  /**
   * Records events in the transaction of the change itself: both are stored, or neither. Rejects with 429 for a deed past
   * the limit of its kind.
   */
  async recordIn<K extends AuditKind>(
    transaction: Transaction,
    actor: Actor,
    events: readonly AuditEvent<K>[],
  ): Promise<void> {
    const now = this.#deps.clock.now()
    const accountId = actor.source.accountId ?? actor.id
    const rows = events.map((event) => columnsOf(actor, event as AuditEvent, now))
    rows.forEach((columns) => this.#budget.requireDeed(columns, accountId))
    await this.#appendWithinBudget(
      transaction,
      rows.map((columns) => ({ accountId, rows: [columns] })),
    )
  }

  /** Turns the counted events into rows. */
  async storeCounts(): Promise<void> {
    const { database, models, clock } = this.#deps
    if ((await models.AuditCount.count()) === 0) {
      return
    }
    await database.write(async (transaction) => {
      const counts = (await models.AuditCount.findAll({ transaction })).map((row) => row.get({ plain: true }))
      this.#append(
        transaction,
        counts.map((row) => rowOfCount(row, clock.now())),
      )
      await models.AuditCount.destroy({ where: {}, transaction })
    })
  }

  /** Checks the whole chain. Concurrent callers share one check, because it reads and hashes every row (T26). */
  verify(): Promise<ChainCheck> {
    const { database, sealer } = this.#deps
    const checked = () => verifyChain({ sealer, note: this.#note, all: (sql, params) => database.all(sql, params) })
    this.#check ??= checked().finally(() => {
      this.#check = undefined
    })
    return this.#check
  }

  /** Marks that the rows so far were written by this time of the retention. */
  mark(at: number): Promise<void> {
    return markRows(this.#deps, at)
  }

  /** Removes events before a time. Returns their number. */
  cut(before: number): Promise<number> {
    return removeRows(this.#deps, before)
  }

  async #end(ends: readonly EventColumns[]) {
    if (ends.length === 0) {
      return
    }
    await this.#deps.database.write(async (transaction) => {
      this.#append(transaction, ends)
      this.#deps.follow?.(transaction, ends)
    })
  }

  async #recordAlone(parts: EventRows): Promise<void> {
    this.#waiting += 1
    try {
      await this.#deps.database.writeShared((transaction) => this.#appendWithinBudget(transaction, [parts]))
    } finally {
      this.#waiting -= 1
    }
  }

  /** Counts an event past the limits. A write like any other, so that its answer takes as long (T12). */
  async #count(transaction: Transaction, columns: EventColumns) {
    const { kind, outcome, tenantId, actorKind, actorId, actorName, at } = columns
    const id = JSON.stringify([kind, outcome, tenantId, actorKind, actorId])
    await this.#deps.database.sequelize.query(
      `INSERT INTO audit_counts (id, kind, outcome, tenantId, actorKind, actorId, actorName, count, since)
       VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?) ON CONFLICT (id) DO UPDATE SET count = audit_counts.count + 1`,
      { replacements: [id, kind, outcome, tenantId, actorKind, actorId, actorName, at], transaction },
    )
  }

  /** Appends events as rows; those past the limits are counted. */
  async #appendWithinBudget(transaction: Transaction, events: readonly EventRows[]) {
    const { admitted = [], counted = [] } = Object.groupBy(events, ({ accountId, rows: [first] }) =>
      this.#budget.admits(first, accountId) ? 'admitted' : 'counted',
    )
    this.#append(
      transaction,
      admitted.flatMap(({ rows }) => rows),
    )
    for (const {
      rows: [first],
    } of counted) {
      await this.#count(transaction, first)
    }
    this.#deps.follow?.(
      transaction,
      events.map(({ rows: [first] }) => first),
    )
  }

  /** Appends events before the commit: one statement for all writes that share the transaction. */
  #append(transaction: Transaction, events: readonly EventColumns[]): void {
    if (events.length > 0) {
      this.#deps.database.storeBeforeCommit(transaction, this.#store, events)
    }
  }

  readonly #store = async (transaction: Transaction, events: readonly EventColumns[]) => {
    const [place] = await this.#placeIn(transaction)
    return appendRows(this.#deps, transaction, { place, events })
  }

  #inBackground(work: () => Promise<void>) {
    work().catch((error: unknown) => {
      this.#deps.log.error({ err: error }, 'An event of the audit log could not be stored.')
    })
  }
}

/** Makes one row of many counted events; their addresses are not kept. */
function rowOfCount({ id: _, since, ...counted }: AuditCountRow, at: number): EventColumns {
  return {
    ...counted,
    at,
    credentialKind: null,
    credentialId: null,
    address: null,
    browser: null,
    targetKind: null,
    targetId: null,
    targetName: null,
    deviceId: null,
    deviceName: null,
    details: JSON.stringify({ since: instant(since) }),
  }
}
