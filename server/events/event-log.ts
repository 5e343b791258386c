import { AsyncLocalStorage } from 'node:async_hooks'
import { QueryTypes, type Transaction } from 'sequelize'
import { dayMs, hourMs } from '../../shared/durations.ts'
import { instant } from '../ground/instant.ts'
import { WindowedCounts } from '../engines/flow/windowed-counts.ts'
import type { Clock } from '../ground/clock.ts'
import type { Database } from '../engines/database/database.ts'
import type { Log } from '../ground/log.ts'
import type { DeviceChange } from '../../shared/dtos/event.ts'
import { OpenFeeds } from './open-feeds.ts'
import { insertEvents, newestEvent, oldEvents, stillOnline, type NewEvent } from './stored-events.ts'
import type { ProgramEventRow } from './tables.ts'

/** Time for which events are kept. */
export const eventsKeptMs = 30 * dayMs

/** Newest events in memory, about 1 MB: readers that are up to date share them, and read nothing from the database. */
const tailLength = 2_000
/** Events about one device in an hour: one that connects again and again, or changes its name, fills no disk (T20). */
const mostOfDevice = 120
/** Absence of a noisy device that no event tells of; the shortest that an alert rule can ask for is as long. */
const shortAwayMs = 60_000
/** Rows read, or removed, at once. */
const pageLength = 1_000

interface Dependencies {
  database: Database
  clock: Clock
  log: Log
}

type Numbered = NewEvent & { number: number }

/** An event of a device: what it is called, and where it is. */
export interface NamedDevice {
  id: string
  tenantId: string
  name: string
  alias: string | null
}

interface Late {
  device: NamedDevice
  changed: Set<DeviceChange>
  /** Its end, while programs take the device for connected. */
  offline?: NewEvent | undefined
}

/** Events for programs: the only writer of their table. */
export class EventLog {
  readonly #deps: Dependencies
  /** Leaves the async context of a write: events noted while a commit is followed queue as a separate write. */
  readonly #outsideOfWrites = AsyncLocalStorage.snapshot()
  readonly #waiting = new Set<() => void>()
  readonly #batch = {
    sql: insertEvents,
    // Every event has a key of its own, so that all that wait are stored together.
    key: ({ number }: Numbered) => `${number}`,
    isMirrored: false,
  } as const
  readonly #ofDevices: WindowedCounts
  readonly #late = new Map<string, Late>()
  #number = 0
  /** Newest events, oldest first, and the id before the first of them. */
  #tail: ProgramEventRow[] = []
  #beforeTail = 0
  #firstId = 1
  /** The page that is read; undefined while all that was committed is read. */
  #page: Promise<void> | undefined
  #isStale = false
  #isClosed = false
  readonly feeds = new OpenFeeds()

  constructor(deps: Dependencies) {
    this.#deps = deps
    this.#ofDevices = new WindowedCounts(deps.clock, { windowMs: hourMs, maxKeys: 20_000 })
  }

  /**
   * Reads where the stored events end. Events of devices that were connected when the server was killed follow, unless
   * another server runs, to which they may be connected.
   */
  async open({ isFirst }: { isFirst: boolean }): Promise<void> {
    const { database } = this.#deps
    const [newest] = await database.all<{ id: number | null }>(newestEvent)
    this.#beforeTail = newest?.id ?? 0
    await this.#readFirst()
    if (isFirst) {
      await this.#endConnections()
    }
    await this.#follow()
  }

  /** Reads the events that other servers have stored. */
  look(): void {
    void this.#follow()
  }

  async #endConnections() {
    const { database, clock } = this.#deps
    const known = await database.all<NamedDevice & { lastSeen: number }>(stillOnline, [clock.now() - eventsKeptMs])
    await Promise.all(known.map((device) => this.#store(offline(device, clock.now()))))
  }

  /** Ends all feeds. */
  close(): void {
    this.#isClosed = true
    this.#wakeReaders()
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  get firstId(): number {
    return this.#firstId
  }

  /** Id of the newest event; 0 before the first. */
  get lastId(): number {
    return this.#tail.at(-1)?.id ?? this.#beforeTail
  }

  /** Id of the newest event, read in the transaction of a change; 0 before the first. */
  async newestIn(transaction: Transaction): Promise<number> {
    const [newest] = await this.#deps.database.sequelize.query<{ id: number | null }>(newestEvent, {
      type: QueryTypes.SELECT,
      transaction,
    })
    return newest?.id ?? 0
  }

  /** Stores events with their change, or neither: in one statement for all writes that share the transaction. */
  appendIn(transaction: Transaction, events: readonly NewEvent[]): void {
    if (events.length > 0) {
      this.#deps.database.storeBeforeCommit(transaction, this.#append, events)
    }
  }

  readonly #append = async (transaction: Transaction, events: readonly NewEvent[]) => {
    const { database } = this.#deps
    database.afterCommit(transaction, () => this.#outsideOfWrites(() => void this.#follow()))
    return [database.allIn(transaction, insertEvents, [JSON.stringify(events)])]
  }

  /**
   * Stores a connection or its end; those of the same moment share a transaction. The end of a connection of a noisy device
   * waits, and a new connection cancels it, unless the device was away for long or somebody waits for it.
   */
  noteOnline(device: NamedDevice & { lastSeen: number }, isOnline: boolean, isAwaited: boolean): void {
    const at = this.#deps.clock.now()
    if (!isOnline) {
      const end = offline(device, at)
      if (this.#isNoisy(device)) {
        this.#lateOf(device).offline = end
      } else {
        this.#note(end)
      }
      return
    }
    const late = this.#late.get(device.id)
    const end = late?.offline
    if (late && end) {
      late.offline = undefined
      if (!isAwaited && at - end.at < shortAwayMs) {
        return
      }
      this.#note(end)
    }
    this.#note({ ...about(device, at), kind: 'device.online', data: named(device, {}) })
  }

  noteChange(device: NamedDevice, changed: readonly DeviceChange[]): void {
    if (this.#isNoisy(device)) {
      const late = this.#lateOf(device)
      changed.forEach((member) => late.changed.add(member))
    } else {
      this.#note(changedEvent(device, this.#deps.clock.now(), changed))
    }
  }

  /** Drops what is told later of a deleted device. */
  forget(deviceId: string): void {
    this.#late.delete(deviceId)
  }

  /** Stores what devices with very many events have become. */
  tellLate(): void {
    const all = [...this.#late.values()]
    this.#late.clear()
    for (const { device, changed, offline: end } of all) {
      if (changed.size > 0) {
        this.#note(changedEvent(device, this.#deps.clock.now(), [...changed]))
      }
      if (end) {
        this.#note(end)
      }
    }
  }

  /** Resolves once the events of all writes that were answered before are read. */
  async caughtUp(): Promise<void> {
    // The page that is read may have begun before the last commit, the one after it has not.
    for (let pages = 0; this.#page && pages < 2; pages++) {
      await this.#page.catch(() => {})
    }
  }

  /** Events after an id, oldest first. */
  async after(id: number, limit: number): Promise<readonly ProgramEventRow[]> {
    if (id < this.#beforeTail) {
      const sql = 'SELECT * FROM program_events WHERE id > ? AND id <= ? ORDER BY id LIMIT ?'
      return this.#deps.database.all<ProgramEventRow>(sql, [id, this.lastId, Math.min(limit, pageLength)])
    }
    const start = this.#tail.findLastIndex((event) => event.id <= id) + 1
    return this.#tail.slice(start, start + limit)
  }

  /** Calls once when there are further events, or at the stop. Returns a function that cancels. */
  onNext(call: () => void): () => void {
    this.#waiting.add(call)
    return () => void this.#waiting.delete(call)
  }

  /** Removes events past their time. */
  async removeOld(now: number): Promise<void> {
    const { database } = this.#deps
    const before = now - eventsKeptMs
    if ((await database.all(oldEvents, [before, 1])).length === 0) {
      return
    }
    let removed
    do {
      removed = await database.write((transaction) =>
        database.sequelize.query(`DELETE FROM program_events WHERE id IN (${oldEvents})`, {
          replacements: [before, pageLength],
          type: QueryTypes.BULKDELETE,
          transaction,
        }),
      )
    } while (removed === pageLength)
    await this.#readFirst()
  }

  #isNoisy({ id }: NamedDevice): boolean {
    return this.#ofDevices.add(id) > mostOfDevice
  }

  /** Entry for the later events of a device, by its present name. */
  #lateOf(device: NamedDevice): Late {
    const late = { changed: new Set<DeviceChange>(), ...this.#late.get(device.id), device }
    this.#late.set(device.id, late)
    return late
  }

  async #readFirst() {
    const rows = await this.#deps.database.all<{ id: number | null }>('SELECT min(id) AS id FROM program_events')
    this.#firstId = rows[0]?.id ?? 1
  }

  #note(event: NewEvent): void {
    this.#outsideOfWrites(() => {
      this.#store(event)
        .then(() => this.#follow())
        .catch((error: unknown) => {
          this.#deps.log.error({ err: error, kind: event.kind }, 'An event for programs could not be stored.')
        })
    })
  }

  #store(event: NewEvent): Promise<unknown> {
    return this.#deps.database.batch<Numbered>(this.#batch).run({ ...event, number: this.#number++ })
  }

  /** Reads what was committed, once for all readers. */
  async #follow(): Promise<void> {
    this.#isStale = true
    if (this.#page) {
      return
    }
    try {
      while (this.#isStale && !this.isClosed) {
        await (this.#page = this.#readPage())
      }
    } catch (error) {
      this.#deps.log.error({ err: error }, 'Events for programs could not be read.')
    } finally {
      this.#page = undefined
    }
  }

  async #readPage() {
    // Once for all events of a commit, which are noted one after the other.
    await Promise.resolve()
    this.#isStale = false
    const sql = 'SELECT * FROM program_events WHERE id > ? ORDER BY id LIMIT ?'
    const rows = await this.#deps.database.all<ProgramEventRow>(sql, [this.lastId, pageLength])
    this.#isStale ||= rows.length === pageLength
    this.#tail.push(...rows)
    const dropped = this.#tail.splice(0, Math.max(0, this.#tail.length - tailLength))
    this.#beforeTail = dropped.at(-1)?.id ?? this.#beforeTail
    if (rows.length > 0) {
      this.#wakeReaders()
    }
  }

  #wakeReaders() {
    const calls = [...this.#waiting]
    this.#waiting.clear()
    calls.forEach((call) => call())
  }
}

const named = ({ name, alias }: NamedDevice, data: object) => JSON.stringify({ name: alias || name, ...data })

const about = ({ id, tenantId }: NamedDevice, at: number) => ({ at, tenantId, deviceId: id, subject: id })

const changedEvent = (device: NamedDevice, at: number, changed: readonly DeviceChange[]): NewEvent => ({
  ...about(device, at),
  kind: 'device.changed',
  data: named(device, { changed }),
})

const offline = (device: NamedDevice & { lastSeen: number }, at: number): NewEvent => ({
  ...about(device, at),
  kind: 'device.offline',
  data: named(device, { lastSeenAt: instant(device.lastSeen) }),
})
