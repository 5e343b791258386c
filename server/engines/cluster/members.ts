import type { Cancel, Clock } from '../../ground/clock.ts'
import type { Log } from '../../ground/log.ts'
import type { Redis } from './redis.ts'
import { isFresh, type ClusterSecret } from './secret.ts'

export interface ClusterServer {
  /** New at each start. */
  readonly id: string
  /** Address at which other servers reach it. */
  readonly url: string
  readonly version: string
  readonly startedAt: number
  /** Whether its connections go to the others, because it is about to stop. */
  readonly isDraining?: boolean
}

/** Times of leases. */
export interface LeaseTimes {
  /** A server that has not renewed for so long may be dead. */
  leaseMs: number
  renewMs: number
}

export const defaultTimes: LeaseTimes = { leaseMs: 10_000, renewMs: 3_000 }

export interface MemberEvents {
  /** Whether a server answers at its address. Asked about a server whose lease is over, which may only be cut off from Redis. */
  isAnswering(server: ClusterServer): Promise<boolean>
  /** A server has left or died: nothing that it held is held any longer. Called on every other server. */
  gone(server: ClusterServer): void
  /** This process stood still for longer than its lease. Resolves when it knows what happened meanwhile. */
  caughtUp(): Promise<unknown>
  /** The servers, or whether Redis answers, have changed. */
  changed(): void
}

export interface MembersOptions {
  redis: Redis
  prefix: string
  clock: Clock
  log: Log
  times: LeaseTimes
  secret: ClusterSecret
  events: MemberEvents
}

/** Renews the lease of this server by the clock of Redis alone, and returns every server with the rest of its lease. */
const renewScript = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
  local leases = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
  local rows = {}
  for i = 1, #leases, 2 do
    rows[#rows + 1] = leases[i]
    rows[#rows + 1] = tostring(leases[i + 1] - now)
    rows[#rows + 1] = redis.call('HGET', KEYS[2], leases[i]) or ''
  end
  return rows`

/** Removes a server whose lease is still over. */
const removeScript = `
  local time = redis.call('TIME')
  local lease = redis.call('ZSCORE', KEYS[1], ARGV[1])
  if lease and tonumber(lease) <= time[1] * 1000 + math.floor(time[2] / 1000) then
    redis.call('ZREM', KEYS[1], ARGV[1])
    redis.call('HDEL', KEYS[2], ARGV[1])
  end`

/** Servers of the cluster, each with a lease in Redis. README.md describes their life. */
export class Members {
  readonly #options: MembersOptions
  readonly #keys: readonly string[]
  #self: ClusterServer | undefined
  #others: ClusterServer[] = []
  #isAlone = true
  #hasUnanswered = false
  /** Uptime at the last finished renewal; a failed one counts too, because this process ran. */
  #ranAt: number
  #isStale = false
  #renewing: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined
  #cancel: Cancel | undefined

  constructor(options: MembersOptions) {
    this.#options = options
    this.#keys = [`${options.prefix}leases`, `${options.prefix}servers`]
    this.#ranAt = options.clock.uptime()
  }

  /** True while Redis does not answer. */
  get isAlone(): boolean {
    return this.#isAlone
  }

  get others(): readonly ClusterServer[] {
    return this.#others
  }

  /** Whether a server that is not about to stop has a lease, and has not answered yet: it may be busy with its start. */
  get hasUnanswered(): boolean {
    return this.#hasUnanswered
  }

  get self(): ClusterServer | undefined {
    return this.#self
  }

  /**
   * False after this process stood still for longer than a lease: others may have taken what it held. True again once it
   * has caught up.
   */
  get isCurrent(): boolean {
    if (!this.#isStale && this.#options.clock.uptime() - this.#ranAt > this.#options.times.leaseMs) {
      this.#catchUp()
    }
    return !this.#isStale
  }

  /** Makes this server known to the others. Resolves after the first attempt, whether Redis answered or not. */
  async join(self: ClusterServer): Promise<void> {
    this.#self = self
    this.#cancel = this.#options.clock.every(this.#options.times.renewMs, () => void this.renew())
    await this.renew()
  }

  /** Tells the other servers that this one is about to stop. */
  announceDrain(): void {
    if (this.#self) {
      this.#self = { ...this.#self, isDraining: true }
      void this.renew()
    }
  }

  async leave(): Promise<void> {
    this.#cancel?.()
    const self = this.#self
    this.#self = undefined
    await this.#renewing
    if (self && !this.#isAlone) {
      const { redis } = this.#options
      const [leases = '', servers = ''] = this.#keys
      await Promise.allSettled([redis.command('ZREM', leases, self.id), redis.command('HDEL', servers, self.id)])
    }
  }

  /** Renews after a running renewal, which may have read the servers before the reason for this call. */
  renew(): Promise<void> {
    return (this.#next ??= this.#renewing.then(() => {
      this.#next = undefined
      this.#renewing = this.#renew()
      return this.#renewing
    }))
  }

  async #renew(): Promise<void> {
    const { redis, clock, times, log, secret } = this.#options
    const self = this.#self
    if (!self || !this.isCurrent) {
      return
    }
    try {
      const { id } = self
      const record = secret.seal(JSON.stringify({ ...self, renewedAt: clock.now() } satisfies MemberRecord), 'member')
      const rows = await redis.script(renewScript, this.#keys, id, record, String(times.leaseMs))
      const found = this.#serversIn(rows as string[]).filter((server) => server.id !== id)
      // A Redis that was started anew has lost them; each comes back with its next renewal.
      const missing = this.#others.filter((server) => found.every((other) => other.id !== server.id))
      found.push(...missing.map((server) => ({ ...server, restMs: 0 })))
      const states = await Promise.all(found.map((server) => this.#stateOf(server, found)))
      const withoutRest = ({ restMs: _, ...server }: FoundServer): ClusterServer => server
      const inState = (state: State) => found.filter((_, index) => states[index] === state).map(withoutRest)
      // Not that of this server before a crash.
      this.#hasUnanswered = inState('ignored').some(({ isDraining, url }) => !isDraining && url !== self.url)
      this.#set(inState('alive'), inState('gone'))
      this.#setAlone(false)
    } catch (error) {
      if (!this.#isAlone) {
        log.warn({ err: error }, 'Redis does not answer: this server goes on alone with what it holds.')
      }
      this.#hasUnanswered = false
      this.#setAlone(true)
    }
    if (this.isCurrent) {
      this.#ranAt = clock.uptime()
    }
  }

  /**
   * State of a server. A known one is alive while its lease lasts, or it answers. A new one must answer: whoever writes to Redis may
   * have put back the record of a server that has stopped, whose port another program has now. Removes a server that is gone.
   */
  async #stateOf(server: FoundServer, all: readonly FoundServer[]): Promise<State> {
    const { redis, events } = this.#options
    const isReplaced = [this.#self, ...all].some(
      (other) => other !== undefined && other.url === server.url && other.startedAt > server.startedAt,
    )
    const isKnown = this.#others.some(({ id }) => id === server.id)
    const hasLease = server.restMs > 0
    if (!isReplaced && ((isKnown && hasLease) || (await events.isAnswering(server)))) {
      return 'alive'
    }
    if (!isKnown && hasLease) {
      return 'ignored'
    }
    await redis.script(removeScript, this.#keys, server.id)
    return 'gone'
  }

  /** Servers with a record that they sealed lately; other records are not those of a server. */
  #serversIn(rows: readonly string[]): FoundServer[] {
    const { secret, clock } = this.#options
    const servers: FoundServer[] = []
    for (let index = 0; index < rows.length; index += 3) {
      const [id, rest, sealed = ''] = rows.slice(index, index + 3)
      const text = secret.unseal(sealed, 'member')
      const record = text === undefined ? undefined : (JSON.parse(text) as MemberRecord)
      if (record?.id === id && isFresh(clock, record!.renewedAt)) {
        const { renewedAt: _, ...server } = record!
        servers.push({ ...server, restMs: Number(rest) })
      }
    }
    return servers
  }

  #set(others: ClusterServer[], gone: readonly ClusterServer[]): void {
    const { events, log } = this.#options
    const before = this.#others
    this.#others = others
    const isIn = (servers: readonly ClusterServer[], id: string) => servers.some((server) => server.id === id)
    const joined = others.filter(({ id }) => !isIn(before, id))
    for (const { id, url } of joined) {
      log.info({ server: id, url }, 'A server of the cluster is there.')
    }
    for (const server of gone) {
      log.warn({ server: server.id, url: server.url }, 'A server of the cluster is gone.')
      events.gone(server)
    }
    if (gone.length + joined.length > 0) {
      events.changed()
    }
  }

  #setAlone(isAlone: boolean): void {
    if (this.#isAlone !== isAlone) {
      this.#isAlone = isAlone
      this.#options.events.changed()
    }
  }

  #catchUp(): void {
    const { events, clock, log } = this.#options
    this.#isStale = true
    log.warn({}, 'This server stood still for longer than its lease: it reads what happened meanwhile.')
    void (async () => {
      try {
        await events.caughtUp()
        this.#ranAt = clock.uptime()
        this.#isStale = false
        await this.renew()
      } catch (error) {
        log.error({ err: error }, 'What happened while this server stood still could not be read. Retrying.')
        clock.after(1_000, () => this.#catchUp())
      }
    })()
  }
}

/** `ignored`: a server that was not seen alive, or whose end was reported before its lease is over. */
type State = 'alive' | 'gone' | 'ignored'

interface FoundServer extends ClusterServer {
  restMs: number
}

interface MemberRecord extends ClusterServer {
  renewedAt: number
}
