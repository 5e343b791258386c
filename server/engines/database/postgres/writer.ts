import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Log } from '../../../ground/log.ts'
import type { Followers, WriteLock } from '../engine.ts'
import { describePlace, type PostgresOptions } from '../options.ts'
import type { Touched } from '../touched.ts'
import { WriteQueue } from '../write-queue.ts'
import { isBusy, lost, withState } from './failures.ts'
import { KnownCommits } from './known-commits.ts'
import { lockDatabase, writeLock } from './locks.ts'
import { barrier, TouchedKeys } from './touched.ts'

const reconnectMs = 500
/** Interval in which a server of a cluster asks for the commits of the others. */
const confirmMs = 300
/** Maximum age of the newest answered question. Older mirrors decide nothing: no right may outlive its end by a second. */
const staleMs = 900
/**
 * Time without an answer after which a connection is given up. The database takes the lock from a silent server no sooner:
 * no other server has written meanwhile.
 */
const silentMs = 10_000
/** Limit of an attempt to get the lock, because a waiting connection gets no notifications. */
const lockMs = 500
const mostAttempts = 60

const key = writeLock.join()
/** Several statements in one query are a transaction, which ends with a notification: the answer follows those of all earlier commits. */
const acquireSql = (pid: number) =>
  `SET LOCAL synchronous_commit = off; SET LOCAL lock_timeout = ${lockMs}; SET idle_session_timeout = '${silentMs}';
   SELECT pg_advisory_lock(${key}); NOTIFY ${barrier(pid)}`
const releaseSql = `SELECT pg_advisory_unlock(${key}); SET idle_session_timeout = 0`
const catchUpSql = (pid: number) => `SET LOCAL synchronous_commit = off; SELECT 1; NOTIFY ${barrier(pid)}`

interface Options {
  postgres: PostgresOptions
  log: Log
  /** Maximum wait for another server to stop. */
  folderWaitMs: number
}

/** The one connection that writes. It is replaced when it is lost, holds the lock of the database, and follows commits. */
export class Writer implements WriteLock {
  readonly queue = new WriteQueue()
  readonly keys = new TouchedKeys(
    () => this.#followOthers(),
    (touched) => this.#followLater(touched),
  )
  readonly #options: Options
  #client: Client | undefined
  #followers: Followers | undefined
  #isFollowing = false
  #isClosing = false
  /** Whether commits may have been missed that the mirrors have to read again. */
  #hasMissed = false
  /** Connection of the write, which holds the lock of the servers. */
  #locked: Client | undefined
  #lockAskedAt = -Infinity
  #released: Promise<unknown> | undefined
  readonly #known = new KnownCommits()
  #catchingUp: Promise<void> | undefined
  #confirming: NodeJS.Timeout | undefined
  /** Reconnects; its pool has one connection. */
  connect: () => Promise<void> = async () => {}

  constructor(options: Options) {
    this.#options = options
  }

  get #isShared(): boolean {
    return this.#options.postgres.isShared === true
  }

  prepare = async (client: Client): Promise<void> => {
    await lockDatabase(client, this.#options.postgres, this.#options.folderWaitMs)
    if (this.#isShared) {
      await client.query(`SET idle_in_transaction_session_timeout = ${silentMs}`)
    }
    await this.keys.listen(client, this.#isShared)
    client.once('end', () => this.#lose(client))
    this.#client = client
  }

  /** Connection of the next statement; a promise of it while the lock is being released, or the connection is lost. */
  current = (): Client | Promise<Client> => {
    if (this.#released || !this.#client) {
      return this.#connected()
    }
    this.check()
    return this.#client
  }

  async #connected(): Promise<Client> {
    await this.#released
    if (!this.#client && !this.#locked) {
      await this.connect()
    }
    this.check()
    if (!this.#client) {
      throw lost()
    }
    return this.#client
  }

  follow(followers: Followers): void {
    this.#followers = followers
    this.#followOthers()
    if (this.#isShared) {
      this.#confirming = setInterval(() => void this.#confirm().catch(() => {}), confirmMs)
    }
  }

  async acquire(): Promise<void> {
    if (!this.#isShared) {
      this.#locked = await this.current()
      return
    }
    for (let attempts = 1; ; attempts += 1) {
      const client = await this.current()
      if (this.#hasMissed) {
        throw lost()
      }
      try {
        this.#lockAskedAt = await this.#reach(client, acquireSql(this.keys.pid))
        this.#locked = client
        // No other server has committed since.
        this.#known.note(performance.now())
        return
      } catch (error) {
        // The lock outlives a query that fails after it was taken.
        await client.query(releaseSql).catch(() => {})
        if (!isBusy(error) || attempts === mostAttempts) {
          throw withState(error)
        }
        await this.#reach(client, catchUpSql(this.keys.pid))
      }
    }
  }

  release(): void {
    const client = this.#locked
    this.#locked = undefined
    if (this.#isShared && client && client === this.#client) {
      this.#released = this.#ask(client, releaseSql)
        .then(
          (askedAt) => this.#known.note(askedAt),
          () => {},
        )
        .finally(() => {
          this.#released = undefined
        })
    }
  }

  check(): void {
    if (this.#locked && this.#locked !== this.#client) {
      throw lost()
    }
  }

  async catchUp(): Promise<void> {
    if (this.#isShared) {
      this.queue.admit()
      await this.#confirm()
    }
  }

  /** Follows all commits before the call; those that wait share it. */
  #confirm(): Promise<void> {
    return (this.#catchingUp ??= this.queue.enqueue(async () => {
      this.#catchingUp = undefined
      await this.#reach(await this.current(), catchUpSql(this.keys.pid))
    }))
  }

  /** Runs statements that end with the barrier, and follows all commits before them. Returns when they were sent. */
  async #reach(client: Client, sql: string): Promise<number> {
    const askedAt = await this.#ask(client, sql)
    if (this.#hasMissed) {
      throw lost()
    }
    await this.#followers?.follow(this.keys.drain())
    this.#known.note(askedAt)
    return askedAt
  }

  isCurrent(): boolean {
    if (!this.#isShared) {
      return true
    }
    const now = performance.now()
    const holdsLock = this.#locked !== undefined && now - this.#lockAskedAt < silentMs
    return !this.#hasMissed && (holdsLock || this.#known.has(now - staleMs))
  }

  /**
   * Resolves when a question is answered that is at most `staleMs` older than this call; rejects after `timeoutMs`. Late
   * answers count: a slow machine is no reason to reject.
   */
  whenCurrent(timeoutMs: number): Promise<void> {
    return this.#known.whenHas(performance.now() - staleMs, timeoutMs)
  }

  async close(): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#confirming)
    await this.queue.close()
  }

  /** Runs statements, and returns when they were sent. A connection that does not answer is given up. */
  async #ask(client: Client, sql: string): Promise<number> {
    const askedAt = performance.now()
    const silence = setTimeout(() => client.connection.stream.destroy(lost()), silentMs)
    try {
      await client.query(sql)
      return askedAt
    } finally {
      clearTimeout(silence)
    }
  }

  #lose(client: Client): void {
    if (this.#client !== client) {
      return
    }
    this.#client = undefined
    this.#hasMissed = true
    if (!this.#isClosing) {
      this.#options.log.error(
        {},
        `The connection to the database ${describePlace(this.#options.postgres.place)} was lost.`,
      )
      void this.#recover()
    }
  }

  /** Connects again, and reads what may have changed meanwhile. */
  async #recover(): Promise<void> {
    while (!this.#isClosing) {
      try {
        await this.queue.enqueue(async () => {
          const client = await this.current()
          const askedAt = performance.now()
          await this.#followers?.reload()
          this.#hasMissed = this.#client !== client
          this.#known.note(askedAt)
        })
        this.#options.log.info({}, 'The database is connected again.')
        return
      } catch {
        await delay(reconnectMs)
      }
    }
  }

  /** Follows the commits of other programs. */
  #followOthers(): void {
    if (this.#isFollowing || this.#isClosing || !this.#followers) {
      return
    }
    this.#isFollowing = true
    void this.queue.enqueue(async () => {
      this.#isFollowing = false
      await this.#followers?.follow(this.keys.drain())
    })
  }

  /** Follows what other servers follow by themselves. Own writes go first. */
  #followLater(touched: Touched): void {
    void this.queue.enqueue(async () => this.#followers?.follow(touched))
  }
}
