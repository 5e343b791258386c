import { afterAll, beforeAll, expect } from 'vitest'
import { hasRedis, startRedis } from '../../tools/simulate/redis.ts'
import type { Clock } from '../../server/ground/clock.ts'
import { postgresPrograms, startPostgres, usePostgres } from './postgres.ts'
import { account, startTestServer, Visitor, type Member, type TestServer } from './server.ts'
import { startSilentProxy, type SilentProxy } from './silent-proxy.ts'
import { until } from './until.ts'

export const canJoin = hasRedis && postgresPrograms() !== undefined

export interface JoinedServers {
  one: TestServer
  two: TestServer
  /** First account, at the first server. */
  owner: Member
  /** Session of `owner`, at the second server. */
  ownerAtTwo: Member
  redis: Awaited<ReturnType<typeof startRedis>>
  /** Proxies from the second server to PostgreSQL and Redis, which can drop all packets. */
  postgresOfTwo: SilentProxy
  redisOfTwo: SilentProxy
}

interface JoinedOptions {
  /** Settings of both. */
  settings?: Record<string, string>
  clockOfTwo?: Clock
}

/** Declares two servers of one PostgreSQL and one Redis in this process, for all tests of a file. */
export function joinedForFile({ settings: given = {}, clockOfTwo }: JoinedOptions = {}): JoinedServers {
  const joined = {} as JoinedServers
  const ends: (() => unknown)[] = []
  beforeAll(async () => {
    if (!canJoin) {
      return
    }
    const postgres = await startPostgres(postgresPrograms()!)
    ends.push(() => postgres.remove(), usePostgres(postgres.port))
    joined.redis = await startRedis()
    ends.push(() => joined.redis.remove())
    joined.postgresOfTwo = await startSilentProxy(postgres.port)
    joined.redisOfTwo = await startSilentProxy(joined.redis.port)
    ends.push(
      () => joined.postgresOfTwo.close(),
      () => joined.redisOfTwo.close(),
    )
    const settings = { ...given, Cluster__RedisUrl: joined.redis.url }
    const settingsOfTwo = {
      ...given,
      Cluster__RedisUrl: `redis://127.0.0.1:${joined.redisOfTwo.port}`,
      POSTGRES_PORT: String(joined.postgresOfTwo.port),
    }
    joined.one = await startTestServer({ settings })
    ends.push(() => joined.one.stop())
    joined.owner = await joined.one.owner()
    joined.two = await startTestServer({
      settings: settingsOfTwo,
      beside: joined.one,
      ...(clockOfTwo && { clock: clockOfTwo }),
    })
    ends.push(() => joined.two.stop())
    joined.ownerAtTwo = await until(() => atOther(joined.owner, joined.two.url))
    await until(() => joined.one.log.lines.some(({ message }) => message === 'A server of the cluster is there.'))
    ends.push(async () => {
      for (const server of [joined.one, joined.two]) {
        // Reports reach the other server within a second.
        await until(async () => (await server.differences()).length === 0)
      }
    })
  }, 240_000)
  afterAll(async () => {
    // The databases end also where a server reports a problem.
    const problems: unknown[] = []
    for (const end of ends.toReversed()) {
      await Promise.resolve()
        .then(end)
        .catch((error: unknown) => problems.push(error))
    }
    expect(problems).toEqual([])
  }, 60_000)
  return joined
}

/** A signed-in member at another server, with the same session. */
export async function atOther(member: Member, url: string): Promise<Member | undefined> {
  const visitor = new Visitor(url)
  // A browser behind a balancer knows one port; here each server has its own.
  visitor.cookie = member.cookie?.replace(`.${new URL(member.url).port}=`, `.${new URL(url).port}=`)
  visitor.pageKey = member.pageKey
  visitor.provesWith = account.password
  const { tenantId, user } = member
  const response = await visitor.fetch('/api/v1/devices')
  return response.status === 401 ? undefined : Object.assign(visitor, { tenantId, user })
}

/** Whether a server says that a device is online; undefined where it has not heard of the device yet. */
export const isOnlineAt = async (member: Member, deviceId: string): Promise<boolean | undefined> =>
  (await member.devices.get({ params: { deviceId } }).catch(() => undefined))?.isOnline
