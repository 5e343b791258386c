import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { QueryTypes, type Transaction } from 'sequelize'
import type { Models } from '../call/models.ts'
import type { Database } from '../engines/database/database.ts'
import type { Cancel, Clock } from '../ground/clock.ts'
import type { Log } from '../ground/log.ts'
import type { ServerRow } from './tables.ts'

/*
 * Servers that share one database. Each has a row, which it renews; one of them has the work that must not be done twice.
 * Both are in the database and by its clock, so that neither a message server that is away nor a wrong clock decides.
 */

/** Time after which a server that did not renew its row counts as ended. */
const leaseMs = 15_000
const renewMs = 5_000
/** Interval of looking whether the lease has run out. */
const lookMs = 1_000
/** Stops the work before another server may begin it: as long as a look and its stop may take. */
const marginMs = 3_000

const nowSql = 'SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now'

/** The work that one server does for all; returns a function that stops it. */
export type StartWork = () => Promise<() => Promise<void>>

interface Dependencies {
  clock: Clock
  database: Database
  log: Log
  models: Models
  version: string
}

export interface Servers {
  /** Id of this run of the server in stored rows; empty where one server has the database for itself. */
  readonly id: string
  /** Whether this server does the work that one server does for all. */
  readonly hasWork: boolean
  /** Ids of running servers, this one included; none where one server has the database for itself. */
  readonly running: readonly string[]
  /** The other running servers, as of the last renewal. */
  readonly others: readonly ServerRow[]
  /** How far the clock of this server is ahead of that of the database, as of the last renewal. */
  readonly clockAheadMs: number
  /**
   * Starts the work at once, or when this server gets it. `closeEnded` closes what servers that ended have left open, and
   * is called by the server with the work. Returns a function that stops the work.
   */
  start(deps: { work: StartWork; closeEnded(ended: readonly string[]): Promise<void> }): Promise<() => Promise<void>>
  /** The other running servers of this moment. */
  readOthers(): Promise<readonly ServerRow[]>
  /** Removes this server from the running ones. */
  close(): Promise<void>
}

/** The only server of its database. */
export const onlyServer: Servers = {
  id: '',
  hasWork: true,
  running: [],
  others: [],
  clockAheadMs: 0,
  start: ({ work }) => work(),
  readOthers: async () => [],
  close: async () => {},
}

/** A server that shares its database with others. */
export class SharedServers implements Servers {
  /** Short, because it is part of the ids of connections. */
  readonly id = randomBytes(6).toString('hex')
  others: readonly ServerRow[] = []
  clockAheadMs = 0
  readonly #deps: Dependencies
  readonly #address: string
  /** Ends of the leases by the monotonic clock. */
  #workEndsAt = -Infinity
  #ended: readonly string[] = []
  #renewing: Promise<void> | undefined
  #stopWork: (() => Promise<void>) | undefined
  #cancel: Cancel = () => {}

  private constructor(deps: Dependencies, address: string) {
    this.#deps = deps
    this.#address = address
  }

  /** Announces this server to the others. */
  static async open(deps: Dependencies, address: string): Promise<SharedServers> {
    const servers = new SharedServers(deps, address)
    await servers.#renew({ takesWork: false })
    const renew = () => {
      servers.#renewing ??= servers
        .#renew({ takesWork: true })
        .catch((error: unknown) =>
          deps.log.warn({ err: error }, 'This server could not renew its place among the servers.'),
        )
        .finally(() => (servers.#renewing = undefined))
    }
    servers.#cancel = deps.clock.every(renewMs, renew)
    return servers
  }

  get hasWork(): boolean {
    return this.#deps.clock.monotonic() < this.#workEndsAt
  }

  get running(): readonly string[] {
    return [this.id, ...this.others.map(({ id }) => id)]
  }

  async readOthers(): Promise<readonly ServerRow[]> {
    const { rows, now } = await this.#deps.database.write((transaction) => this.#read(transaction))
    return rows.filter((row) => row.id !== this.id && row.aliveUntil > now)
  }

  async start({ work, closeEnded }: Parameters<Servers['start']>[0]): Promise<() => Promise<void>> {
    const { clock, log } = this.#deps
    let settling: Promise<void> | undefined
    let isStopping = false
    const settle = async () => {
      if (this.hasWork && !isStopping) {
        const ended = this.#ended
        if (ended.length > 0) {
          await closeEnded(ended)
          await this.#forget(ended)
        }
        if (!this.#stopWork) {
          log.info({}, 'This server does the work that one server does for all: jobs, alerts, webhooks, notifications.')
          this.#stopWork = await work()
        }
      } else if (this.#stopWork) {
        if (!isStopping) {
          log.info({}, 'Another server does the work that one server does for all.')
        }
        const stop = this.#stopWork
        this.#stopWork = undefined
        await stop()
      }
    }
    const look = () => {
      settling ??= settle()
        .catch((error: unknown) =>
          log.error({ err: error }, 'The work for all servers could not be started or stopped; retrying.'),
        )
        .finally(() => (settling = undefined))
    }
    await this.#renew({ takesWork: true })
    look()
    await settling
    const cancel = clock.every(lookMs, look)
    return async () => {
      isStopping = true
      cancel()
      await settling
      await settle()
    }
  }

  async close(): Promise<void> {
    this.#cancel()
    await this.#renewing
    await this.#forget([this.id])
  }

  /** Renews the row of this server, and takes the work if no running server has it. */
  async #renew({ takesWork }: { takesWork: boolean }): Promise<void> {
    const { clock, database, models, version } = this.#deps
    const begunAt = clock.monotonic()
    // Behind reports and connects of thousands of devices, a lease of this server would run out.
    const hasWork = await database.writeUrgent(async (transaction) => {
      const { rows, now } = await this.#read(transaction)
      this.clockAheadMs = Math.round(clock.now() - now)
      const others = rows.filter(({ id }) => id !== this.id)
      const takes = takesWork && others.every(({ worksUntil }) => worksUntil <= now)
      await models.Server.upsert(
        {
          id: this.id,
          name: hostname(),
          address: this.#address,
          version,
          startedAt: rows.find(({ id }) => id === this.id)?.startedAt ?? now,
          aliveUntil: now + leaseMs,
          worksUntil: takes ? now + leaseMs : 0,
          clockAheadMs: this.clockAheadMs,
        },
        { transaction },
      )
      this.others = others.filter(({ aliveUntil }) => aliveUntil > now)
      this.#ended = others.flatMap(({ id, aliveUntil }) => (aliveUntil > now ? [] : [id]))
      return takes
    })
    this.#workEndsAt = hasWork ? begunAt + leaseMs - marginMs : -Infinity
  }

  async #read(transaction: Transaction): Promise<{ rows: ServerRow[]; now: number }> {
    const { database, models } = this.#deps
    const [rows, [time]] = await Promise.all([
      models.Server.findAll({ order: ['startedAt', 'id'], transaction, raw: true }),
      database.sequelize.query<{ now: number }>(nowSql, { type: QueryTypes.SELECT, transaction }),
    ])
    return { rows, now: time!.now }
  }

  #forget(ids: readonly string[]): Promise<void> {
    const { database, models } = this.#deps
    return database.write(async (transaction) => {
      await models.Server.destroy({ where: { id: ids }, transaction })
    })
  }
}
