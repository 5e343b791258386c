import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Log } from '../../../ground/log.ts'
import type { Followers, WriteLock } from '../engine.ts'
import { describePlace, type PostgresOptions } from '../options.ts'
import type { Touched } from '../touched.ts'
import { WriteQueue } from '../write-queue.ts'
import { isBusy, isRolledBack, lost, ofCommit, rolledBack, withState } from './failures.ts'
import { KnownCommits } from './known-commits.ts'
import { lockDatabase, writeLock } from './locks.ts'
import { barrier, followedByCaller, TouchedKeys } from './touched.ts'

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
/** Takes the lock until the end of a transaction, which fails without it. */
const lockAloneSql = `SET LOCAL lock_timeout = ${lockMs}; SELECT pg_advisory_xact_lock(${key}); SET LOCAL lock_timeout TO DEFAULT`
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
  readonly #known = new KnownCommits()
  #catchingUp: Promise<void> | undefined
  #isRolledBack = false
  readonly commits = {
    sent: () => this.release(),
    answered: (answer: unknown) => {
      this.#isRolledBack = isRolledBack(answer)
    },
  }
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

  /** Connection of the next statement; a promise of it while the connection is lost. */
  current = (): Client | Promise<Client> => {
    if (!this.#client) {
      return this.#connected()
    }
    this.check()
    return this.#client
  }

  async #connected(): Promise<Client> {
    if (!this.#locked) {
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
    await this.#untilFree(async (client) => {
      try {
        this.#lockAskedAt = await this.#reach(client, acquireSql(this.keys.pid))
        this.#locked = client
        this.#noteLocked()
      } catch (error) {
        // The lock outlives a query that fails after it was taken.
        client.query(releaseSql).catch(() => {})
        throw error
      }
    })
  }

  /** Repeats what does not get the lock in time. */
  async #untilFree<T>(attempt: (client: Client) => Promise<T>): Promise<T> {
    for (let attempts = 1; ; attempts += 1) {
      const client = await this.current()
      if (this.#hasMissed) {
        throw lost()
      }
      try {
        return await attempt(client)
      } catch (error) {
        if (!isBusy(error) || attempts === mostAttempts) {
          throw withState(error)
        }
        await this.#reach(client, catchUpSql(this.keys.pid))
      }
    }
  }

  release(): void {
    const client = this.#locked
    if (this.#isShared && client && client === this.#client) {
      this.#noteLocked()
      this.#ask(client, releaseSql).then(
        (askedAt) => this.#known.note(askedAt),
        () => {},
      )
    }
    this.#locked = undefined
  }

  storeAlone = async <T>(store: () => Promise<T>, isFollowedByCaller: boolean): Promise<T> => {
    const begin = [
      'BEGIN',
      ...(this.#isShared ? [lockAloneSql] : []),
      ...(isFollowedByCaller ? [followedByCaller(this.#isShared)] : []),
    ]
    return this.#untilFree(async (client) => {
      const statements = [this.#ask(client, begin.join('; ')), store(), this.#ask(client, 'COMMIT')] as const
      await Promise.allSettled(statements)
      try {
        const [, stored] = await Promise.all(statements)
        return stored
      } catch (error) {
        throw ofCommit(withState(error))
      }
    })
  }

  /** Notes that no other server has committed, while this one holds the lock. */
  #noteLocked(): void {
    if (this.#holdsLock) {
      this.#known.note(performance.now())
    }
  }

  get #holdsLock(): boolean {
    return this.#locked !== undefined && performance.now() - this.#lockAskedAt < silentMs
  }

  checkCommit(): void {
    if (this.#isRolledBack) {
      throw rolledBack()
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
    return (this.#catchingUp ??= this.#followAll())
  }

  async #followAll(): Promise<void> {
    // Writes need not wait for the answer: they share its round trip.
    const { askedAt } = await this.queue.enqueue(async () => {
      this.#catchingUp = undefined
      const askedAt = this.#ask(await this.current(), catchUpSql(this.keys.pid))
      askedAt.catch(() => {})
      return { askedAt }
    })
    await askedAt
    await this.queue.enqueue(() => this.#followed(askedAt))
  }

  /** Runs statements that end with the barrier, and follows all commits before them. Returns when they were sent. */
  #reach(client: Client, sql: string): Promise<number> {
    return this.#followed(this.#ask(client, sql))
  }

  async #followed(answer: Promise<number>): Promise<number> {
    const askedAt = await answer
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
    return !this.#hasMissed && (this.#holdsLock || this.#known.has(performance.now() - staleMs))
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
