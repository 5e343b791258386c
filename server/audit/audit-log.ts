import { AsyncLocalStorage } from 'node:async_hooks'
import { Op, QueryTypes, type Transaction } from 'sequelize'
import { instant } from '../ground/instant.ts'
import type { AuditKind } from '../../shared/audit-kinds.ts'
import type { Actor } from '../ground/actor.ts'
import type { Clock } from '../ground/clock.ts'
import type { Database } from '../engines/database/database.ts'
import type { Log } from '../ground/log.ts'
import type { AuditCountRow, AuditEventRow } from './tables.ts'
import type { Models } from '../call/models.ts'
import type { Sealer } from '../engines/secrets/sealer.ts'
import { HeadNote, problemWith } from './head-note.ts'
import { endsOfOpenSessions, endsOfSessionsOn } from './open-sessions.ts'
import { AuditBudget } from './budget.ts'
import { hashOf, noHash, sealOfHead, sealOfMark, sealOfRow, sealOfStub } from './chain.ts'
import { validPrefix, verifyChain, type ChainCheck } from './verify.ts'
import { insertRowsSql } from './insert-rows.ts'
import { columnsOf, type AuditEvent, type EventColumns } from './event.ts'

/** Rows removed per transaction: blocks the writer for a few milliseconds. */
const groupLength = 100

/** Interval in which counted events become rows. */
const countsMs = 15 * 60_000

/** Interval of noting the newest row beside the database. */
const noteMs = 10_000

/**
 * Place that the next row continues, as the trigger of the table asks for it. A log whose rows or head somebody removed goes
 * on behind the gap: the gap stays visible, and the server starts. SQL, because this is part of most writes: a model takes
 * three times as long.
 */
const placeSql = `SELECT max(ifnull((SELECT lastId FROM audit_head), 0),
    ifnull((SELECT max(id) FROM audit_events), 0), ifnull((SELECT max(lastId) FROM audit_stubs), 0)) AS lastId,
  ifnull((SELECT hash FROM audit_events ORDER BY id DESC LIMIT 1),
    (SELECT hash FROM audit_stubs ORDER BY lastId DESC LIMIT 1)) AS hash`
const nextHeadSql = `INSERT INTO audit_head (id, lastId, hash, seal) VALUES ('server', :id, :previous, :seal)
  ON CONFLICT (id) DO UPDATE SET lastId = excluded.lastId, hash = excluded.hash, seal = excluded.seal`

/** Waits for all statements, also when one fails: a statement that is sent after the rollback would be stored. */
async function together(statements: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(statements)).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') {
    throw failed.reason
  }
}

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

interface Place {
  lastId: number
  /** Null before the first row. */
  hash: string | null
}

/** The audit log: its only writer. A row is never changed; the oldest are removed once a stub seals their place. */
export class AuditLog {
  readonly #deps: Dependencies
  readonly #budget: AuditBudget
  readonly #note: HeadNote
  #notedId = 0
  #waiting = 0
  /** Called for each event recorded outside of the transaction of a change. */
  onRecorded: ((event: Pick<AuditEvent, 'kind' | 'outcome'>) => void) | undefined
  #last: Promise<void> = Promise.resolve()
  /** Running check of the chain. */
  #check: Promise<ChainCheck> | undefined
  /** Leaves the async context of a write: events noted while a commit is followed queue as a separate write. */
  readonly #outsideOfWrites = AsyncLocalStorage.snapshot()

  constructor(deps: Dependencies) {
    this.#deps = deps
    this.#budget = new AuditBudget(deps.clock)
    this.#note = new HeadNote(deps.directory, deps.sealer)
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

  /** Records a stop. */
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

  /** Number of events that wait to be stored. */
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
  async mark(at: number): Promise<void> {
    const { database, models, sealer } = this.#deps
    await database.write(async (transaction) => {
      const lastId = (await models.AuditHead.findByPk('server', { transaction }))?.lastId
      if (lastId !== undefined && !(await models.AuditMark.findByPk(lastId, { transaction }))) {
        const mark = { lastId, at }
        await models.AuditMark.create({ ...mark, seal: sealOfMark(sealer, mark) }, { transaction })
      }
    })
  }

  /** Newest row that was there before a time, by the marks; 0 without one. */
  async #markedBefore(before: number): Promise<number> {
    const { models, sealer } = this.#deps
    const marks = await models.AuditMark.findAll({ order: [['lastId', 'ASC']], raw: true })
    const kept = marks.findIndex(({ seal, ...mark }) => mark.at >= before || seal !== sealOfMark(sealer, mark))
    return marks.slice(0, kept === -1 ? marks.length : kept).at(-1)?.lastId ?? 0
  }

  /**
   * Removes events before a time: leaves a sealed stub that the remaining rows continue. Returns their number. Rows that
   * a clock far ahead has stamped would stay until then, with all that follow: marks tell when they were written. Stops
   * before the first changed row: removing that row would hide the change.
   */
  async cut(before: number): Promise<number> {
    const { database, models, sealer, clock } = this.#deps
    const marked = await this.#markedBefore(before)
    let removed = 0
    for (;;) {
      const more = await database.write(async (transaction) => {
        // The newest row always remains, and rows are removed from the oldest on without a gap.
        const old = await database.sequelize.query<AuditEventRow>(
          `SELECT * FROM audit_events WHERE id < (SELECT max(id) FROM audit_events)
           AND (id <= ? OR id < ifnull((SELECT min(id) FROM audit_events WHERE at >= ?), 9000000000000000))
           ORDER BY id LIMIT ${groupLength}`,
          { replacements: [marked, before], type: QueryTypes.SELECT, transaction },
        )
        const newestStub = await models.AuditStub.findOne({ order: [['lastId', 'DESC']], raw: true, transaction })
        const rows = validPrefix(sealer, old, newestStub)
        const [first, last] = [rows[0], rows.at(-1)]
        if (!first || !last) {
          return 0
        }
        const place = { firstId: first.id, lastId: last.id, firstAt: first.at, lastAt: last.at }
        const stub = { ...place, cutAt: clock.now(), hash: last.hash }
        await models.AuditStub.create({ ...stub, seal: sealOfStub(sealer, stub) }, { transaction })
        await database.sequelize.query('DELETE FROM audit_events WHERE id <= ?', {
          replacements: [last.id],
          transaction,
        })
        await models.AuditMark.destroy({ where: { lastId: { [Op.lte]: last.id } }, transaction })
        return rows.length
      })
      removed += more
      if (more < groupLength) {
        return removed
      }
    }
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
    const { database, sealer } = this.#deps
    const { sequelize } = database
    const [place] = await sequelize.query<Place>(placeSql, { type: QueryTypes.SELECT, transaction })
    let id = place?.lastId ?? 0
    let previous = place?.hash ?? noHash
    const rows = events.map((columns): AuditEventRow => {
      const row = { ...columns, id: ++id, previous }
      previous = hashOf(row)
      return { ...row, hash: previous, seal: sealOfRow(sealer, previous) }
    })
    const seal = sealOfHead(sealer, { lastId: id, hash: previous })
    await together([
      sequelize.query(insertRowsSql, { bind: [JSON.stringify(rows)], transaction }),
      sequelize.query(nextHeadSql, { replacements: { id, previous, seal }, transaction }),
    ])
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
