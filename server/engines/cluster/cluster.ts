import type { Cancel, Clock } from '../../ground/clock.ts'
import type { Log } from '../../ground/log.ts'
import { defaultTimes, Members, type ClusterServer, type LeaseTimes, type MemberEvents } from './members.ts'
import { Messages, type Answerer, type Listener } from './messages.ts'
import { Redis } from './redis.ts'
import type { ClusterSecret } from './secret.ts'

export { ClusterAway } from './cluster-away.ts'
export type { ClusterServer } from './members.ts'

/** Channel on which a server that joined, or reaches Redis again, says so. */
const joinedChannel = 'joined'
/** Time limit of a question to every other server. */
const othersMs = 2_000
/** Time for which signs are gathered, from the first: one loss gives a sign per connection and per server. */
const missedMs = 500

/**
 * Servers of one database, joined by Redis. `get` and `set` reject with `ClusterAway` while Redis
 * does not answer: the caller decides what to do alone.
 */
export interface Cluster {
  readonly id: string
  /** True while Redis does not answer. */
  readonly isAlone: boolean
  /** False after this process stood still for longer than its lease, until it has caught up. */
  readonly isCurrent: boolean
  /** Whether a server that is not about to stop has a lease, and has not answered yet. */
  readonly hasUnanswered: boolean
  /** Servers that are alive, this one first. */
  servers(): readonly ClusterServer[]
  server(id: string): ClusterServer | undefined
  /** Reads the servers again; resolves also where Redis does not answer. */
  refresh(): Promise<void>
  /** Follows changes of the servers and of `isAlone`. */
  onChange(listener: () => void): () => void
  /** Calls `listener` 500 ms after a sign that messages of other servers may have been lost: it reads again what they announced. */
  onMissed(listener: () => void): void
  set(name: string, value: string, ms: number): Promise<void>
  get(name: string): Promise<string | undefined>
  publish(channel: string, message: string): void
  subscribe(channel: string, listener: Listener): () => void
  ask(server: string, method: string, body: unknown, signal?: AbortSignal): Promise<unknown>
  /** Asks every other server. Servers that do not answer within 2 s are left out. */
  askOthers(method: string, body: unknown): Promise<{ server: ClusterServer; answer: unknown }[]>
  answer(method: string, answerer: Answerer): void
  /** Makes this server known at its address. */
  join(url: string): Promise<void>
  /** Tells the other servers that this one is about to stop. They know by its next lease, within 3 s. */
  announceDrain(): void
  leave(): Promise<void>
  close(): void
}

export interface ClusterOptions {
  /** Id of this run of the server; without a dot. */
  id: string
  redisUrl: string
  /** PEM of the authorities of Redis; undefined for those of the system. */
  redisCa?: string | undefined
  /** Beginning of all keys and channels: servers with another one do not see each other. */
  prefix: string
  version: string
  secret: ClusterSecret
  clock: Clock
  log: Log
  times?: LeaseTimes
}

/** Connects to Redis, and goes on without it until it answers. */
export function openCluster(options: ClusterOptions, events: Omit<MemberEvents, 'changed'>): Cluster {
  const { id, prefix, version, secret, clock, log, times = defaultTimes } = options
  const redis = new Redis({ url: options.redisUrl, ca: options.redisCa, clock, log })
  const listeners = new Set<() => void>()
  const missed = new Set<() => void>()
  let cancelMissed: Cancel | undefined
  const onMissed = () => {
    cancelMissed ??= clock.after(missedMs, () => {
      cancelMissed = undefined
      missed.forEach((listener) => listener())
    })
  }
  const members = new Members({
    redis,
    prefix,
    clock,
    log,
    times,
    secret,
    events: { ...events, changed: () => listeners.forEach((listener) => listener()) },
  })
  const messages = new Messages({ redis, prefix, id, clock, log, secret, onMissed })
  // The others see this server now, and not with their next renewal, and read again what it could not send them.
  const announce = () => messages.publish(joinedChannel, '')
  const opened = redis.open(() => {
    if (members.self) {
      void members.renew()
      announce()
    }
  })
  messages.subscribe(joinedChannel, () => {
    void members.renew()
    onMissed()
  })
  const keyOf = (kind: string, name: string) => [`${prefix}${kind}:${name}`]
  const servers = () => (members.self ? [members.self, ...members.others] : members.others)
  return {
    id,
    get isAlone() {
      return members.isAlone
    },
    get isCurrent() {
      return members.isCurrent
    },
    get hasUnanswered() {
      return members.hasUnanswered
    },
    servers,
    server: (wanted) => servers().find((server) => server.id === wanted),
    refresh: () => members.renew(),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    onMissed: (listener) => void missed.add(listener),
    set: async (name, value, ms) => void (await redis.command('SET', ...keyOf('value', name), value, 'PX', String(ms))),
    get: async (name) => ((await redis.command('GET', ...keyOf('value', name))) as string | null) ?? undefined,
    publish: (channel, message) => messages.publish(channel, message),
    subscribe: (channel, listener) => messages.subscribe(channel, listener),
    ask: (server, method, body, signal) => messages.ask(server, method, body, signal),
    async askOthers(method, body) {
      const asked = members.others.map(async (server) => {
        const answer = await messages.ask(server.id, method, body, AbortSignal.timeout(othersMs))
        return { server, answer }
      })
      const settled = await Promise.allSettled(asked)
      return settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    },
    answer: (method, answerer) => messages.answer(method, answerer),
    async join(url) {
      await opened
      await members.join({ id, url, version, startedAt: clock.now() })
      announce()
    },
    announceDrain: () => members.announceDrain(),
    leave: () => members.leave(),
    close() {
      cancelMissed?.()
      messages.close()
      redis.close()
    },
  }
}
