import type { Clock } from '../../ground/clock.ts'
import type { Log } from '../../ground/log.ts'
import { defaultTimes, Members, type ClusterServer, type LeaseTimes, type MemberEvents } from './members.ts'
import { Messages, type Answerer, type Listener } from './messages.ts'
import { Redis } from './redis.ts'
import type { Sign } from './signed.ts'

export { ClusterAway } from './redis.ts'
export type { ClusterServer } from './members.ts'

/**
 * Servers of one database, joined by Redis. `lease`, `once`, `count`, `get` and `set` reject with `ClusterAway` while Redis
 * does not answer: the caller decides what to do alone.
 */
export interface Cluster {
  readonly id: string
  /** True while Redis does not answer. */
  readonly isAlone: boolean
  /** False after this process stood still for longer than its lease, until it has caught up. */
  readonly isCurrent: boolean
  /** Servers that are alive, this one first. */
  servers(): readonly ClusterServer[]
  server(id: string): ClusterServer | undefined
  /** Follows changes of the servers and of `isAlone`. */
  onChange(listener: () => void): () => void
  /** Takes or renews a lease for this server; false while another holds it. */
  lease(name: string, ms: number): Promise<boolean>
  release(name: string): Promise<void>
  /** True for the first caller on all servers within `ms`. */
  once(name: string, ms: number): Promise<boolean>
  /** Adds one, and returns the count of the window, which begins with its first. */
  count(name: string, windowMs: number): Promise<number>
  /** Forgets a count, a value, or that `once` was called. */
  forget(name: string): Promise<void>
  set(name: string, value: string, ms: number): Promise<void>
  get(name: string): Promise<string | undefined>
  publish(channel: string, message: string): void
  subscribe(channel: string, listener: Listener): () => void
  ask(server: string, method: string, body: unknown, signal?: AbortSignal): Promise<unknown>
  answer(method: string, answerer: Answerer): void
  /** Makes this server known at its address. */
  join(url: string): Promise<void>
  leave(): Promise<void>
  close(): void
}

export interface ClusterOptions {
  /** Id of this run of the server; without a dot. */
  id: string
  redisUrl: string
  /** PEM of a further authority of Redis' certificate. */
  redisCa?: string | undefined
  /** Beginning of all keys and channels: servers with another one do not see each other. */
  prefix: string
  version: string
  sign: Sign
  clock: Clock
  log: Log
  times?: LeaseTimes
}

const countScript = `
  local count = redis.call('INCR', KEYS[1])
  if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
  return count`

const leaseScript = `
  local holder = redis.call('GET', KEYS[1])
  if holder and holder ~= ARGV[1] then return 0 end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 1`

const releaseScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`

/** Connects to Redis, and goes on without it until it answers. */
export function openCluster(options: ClusterOptions, events: Omit<MemberEvents, 'changed'>): Cluster {
  const { id, prefix, version, sign, clock, log, times = defaultTimes } = options
  const redis = new Redis({ url: options.redisUrl, ca: options.redisCa, clock, log })
  const listeners = new Set<() => void>()
  const members = new Members({
    redis,
    prefix,
    clock,
    log,
    times,
    sign,
    events: { ...events, changed: () => listeners.forEach((listener) => listener()) },
  })
  const messages = new Messages({ redis, prefix, id, clock, log, sign })
  const opened = redis.open(() => void members.renew())
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
    servers,
    server: (wanted) => servers().find((server) => server.id === wanted),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    lease: async (name, ms) => (await redis.script(leaseScript, keyOf('lease', name), id, String(ms))) === 1,
    release: async (name) => void (await redis.script(releaseScript, keyOf('lease', name), id)),
    once: async (name, ms) =>
      (await redis.command('SET', ...keyOf('value', name), '1', 'NX', 'PX', String(ms))) !== null,
    count: async (name, windowMs) => Number(await redis.script(countScript, keyOf('value', name), String(windowMs))),
    forget: async (name) => void (await redis.command('DEL', ...keyOf('value', name))),
    set: async (name, value, ms) => void (await redis.command('SET', ...keyOf('value', name), value, 'PX', String(ms))),
    get: async (name) => ((await redis.command('GET', ...keyOf('value', name))) as string | null) ?? undefined,
    publish: (channel, message) => messages.publish(channel, message),
    subscribe: (channel, listener) => messages.subscribe(channel, listener),
    ask: (server, method, body, signal) => messages.ask(server, method, body, signal),
    answer: (method, answerer) => messages.answer(method, answerer),
    async join(url) {
      await opened
      await members.join({ id, url, version, startedAt: clock.now() })
    },
    leave: () => members.leave(),
    close() {
      messages.close()
      redis.close()
    },
  }
}
