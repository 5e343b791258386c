import { randomUUID } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ClusterAway, openCluster, type Cluster } from '../../../../server/engines/cluster/cluster.ts'
import { systemClock, type Clock } from '../../../../server/ground/clock.ts'
import { manualClock } from '../../../support/clock.ts'
import { createTestLog } from '../../../support/log.ts'
import { hasRedis, startRedis } from '../../../../tools/simulate/redis.ts'
import { clusterSecret } from '../../../support/cluster-secret.ts'
import { startSilentProxy } from '../../../support/silent-proxy.ts'
import { until } from '../../../support/until.ts'

const times = { leaseMs: 2_000, renewMs: 100 }

async function redisOfTest() {
  const redis = await startRedis()
  onTestFinished(() => redis.remove())
  return redis
}

interface Member {
  cluster: Cluster
  gone: string[]
  /** Whether this server answers others at its address. */
  answering: Set<string>
  catchUps: (() => void)[]
}

const allAnswer = () => new Set(['one', 'two'].map((name) => `http://${name}`))

/** Opens a server of a cluster; `answering` has the addresses at which servers answer, and `isHeld` lets the test end its catching up. */
async function member(
  redisUrl: string,
  name: string,
  {
    answering = allAnswer(),
    clock = systemClock as Clock,
    isHeld = false,
    renewMs = times.renewMs,
    asked = async (_url: string) => {},
  } = {},
) {
  const gone: string[] = []
  const catchUps: (() => void)[] = []
  const cluster = openCluster(
    {
      id: randomUUID(),
      redisUrl,
      prefix: 'farhand:test:',
      version: '1',
      secret: clusterSecret,
      clock,
      log: createTestLog(),
      times: { ...times, renewMs },
    },
    {
      isAnswering: async ({ url }) => {
        await asked(url)
        return answering.has(url)
      },
      gone: ({ id }) => void gone.push(id),
      caughtUp: () => (isHeld ? new Promise<void>((resolve) => catchUps.push(resolve)) : Promise.resolve()),
    },
  )
  onTestFinished(() => cluster.close())
  await cluster.join(`http://${name}`)
  return { cluster, gone, answering, catchUps } satisfies Member
}

const idsOf = ({ cluster }: Member) => cluster.servers().map(({ id }) => id)

describe.runIf(hasRedis)('servers joined by Redis', () => {
  test('see each other until one leaves', async () => {
    const { url } = await redisOfTest()
    const [one, two] = [await member(url, 'one'), await member(url, 'two')]
    await until(() => idsOf(one).length === 2 && idsOf(two).length === 2)
    expect(idsOf(one)).toEqual([one.cluster.id, two.cluster.id])
    expect(one.cluster.server(two.cluster.id)?.url).toBe('http://two')
    one.answering.clear()
    await two.cluster.leave()
    await until(() => idsOf(one).length === 1)
    expect(one.gone).toEqual([two.cluster.id])
  })

  test('know of a server that drains', async () => {
    const { url } = await redisOfTest()
    const [one, two] = [await member(url, 'one'), await member(url, 'two')]
    await until(() => idsOf(one).length === 2 && idsOf(two).length === 2)
    const draining = ({ cluster }: Member) => cluster.servers().map(({ isDraining }) => isDraining === true)
    expect(draining(one)).toEqual([false, false])
    two.cluster.announceDrain()
    await until(() => draining(one)[1])
    expect([draining(one), draining(two)]).toEqual([
      [false, true],
      [true, false],
    ])
  })

  test.each(['pubsub', 'normal'])(
    'a lost %s connection says that messages were missed, and later ones arrive',
    async (type) => {
      const redis = await redisOfTest()
      const [one, two] = [await member(redis.url, 'one'), await member(redis.url, 'two')]
      await until(() => idsOf(one).length === 2 && idsOf(two).length === 2)
      let missed = 0
      one.cluster.onMissed(() => missed++)
      redis.command('CLIENT', 'KILL', 'TYPE', type)
      await until(() => missed > 0)
      const received: string[] = []
      one.cluster.subscribe('news', (message) => void received.push(message))
      await until(() => {
        two.cluster.publish('news', 'after')
        return received.includes('after')
      })
    },
  )

  test('signs of missed messages that never pause are gathered for 500 ms from the first', async () => {
    const { url } = await redisOfTest()
    const clock = manualClock(Date.now())
    const [one, two] = [await member(url, 'one', { clock }), await member(url, 'two')]
    let missed = 0
    one.cluster.onMissed(() => missed++)
    let signs = 0
    one.cluster.subscribe('joined', () => signs++)
    for (let count = 1; count <= 6; count++) {
      two.cluster.publish('joined', '')
      await until(() => signs >= count)
      clock.advance(100)
    }
    expect(missed).toBe(1)
  })

  test('a server that does not renew and does not answer is gone, one that answers stays', async () => {
    const { url } = await redisOfTest()
    const one = await member(url, 'one')
    const two = await member(url, 'two')
    await until(() => idsOf(one).length === 2)
    // Closed without leaving, as a killed process.
    two.cluster.close()
    await new Promise<void>((resolve) => systemClock.after(times.leaseMs * 2, resolve))
    expect(idsOf(one)).toHaveLength(2)
    one.answering.clear()
    await until(() => one.gone.length > 0)
    expect(one.gone).toEqual([two.cluster.id])
  })

  test('an unknown server joins only after it proves its id at its address', async () => {
    const { url } = await redisOfTest()
    const one = await member(url, 'one', { answering: new Set<string>() })
    const two = await member(url, 'two')
    await until(() => idsOf(two).length === 2)
    await one.cluster.set('renewed', 'meanwhile', 1_000)
    await until(() => one.cluster.hasUnanswered)
    expect(idsOf(one)).toHaveLength(1)
    one.answering.add('http://two')
    await until(() => idsOf(one).length === 2)
    expect(one.cluster.hasUnanswered).toBe(false)
    expect(one.gone).toEqual([])
  })

  test('a server that joins is seen at once, before the next renewal', async () => {
    const { url } = await redisOfTest()
    const one = await member(url, 'one', { renewMs: 60_000 })
    await member(url, 'two')
    await until(() => idsOf(one).length === 2)
  })

  test('a server that joins during a renewal is seen with the next one, which follows at once', async () => {
    const { url } = await redisOfTest()
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
    const answering = new Set(['http://two', 'http://three'])
    let asks = 0
    const asked = () => (asks++, answered)
    const one = await member(url, 'one', { renewMs: 60_000, answering, asked })
    const joined: string[] = []
    one.cluster.subscribe('joined', (id) => joined.push(id))
    await member(url, 'two')
    await until(() => asks === 1)
    await member(url, 'three')
    await until(() => joined.length === 2)
    answer()
    await until(() => idsOf(one).length === 3)
  })

  test('a server whose packets vanished connects anew, and gets messages again', async () => {
    const redis = await redisOfTest()
    const proxy = await startSilentProxy(redis.port)
    onTestFinished(() => proxy.close())
    const [one, two] = [await member(redis.url, 'one'), await member(`redis://127.0.0.1:${proxy.port}`, 'two')]
    await until(() => idsOf(one).length === 2 && idsOf(two).length === 2)
    const received: string[] = []
    two.cluster.subscribe('news', (message) => received.push(message))
    proxy.silence()
    await until(() => two.cluster.isAlone)
    proxy.restoreNew()
    await until(() => {
      one.cluster.publish('news', 'again')
      return received.length > 0 && !two.cluster.isAlone
    })
  })

  test('a call that is canceled while Redis takes its question ends no process', async () => {
    const redis = await redisOfTest()
    const proxy = await startSilentProxy(redis.port)
    onTestFinished(() => proxy.close())
    const { cluster } = await member(`redis://127.0.0.1:${proxy.port}`, 'one')
    const unhandled: unknown[] = []
    const note = (error: unknown) => void unhandled.push(error)
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))
    proxy.silence()
    const deadline = new AbortController()
    const asked = cluster.ask('another server', 'wait', null, deadline.signal)
    deadline.abort()
    await expect(asked).rejects.toThrow(ClusterAway)
    expect(unhandled).toEqual([])
  })

  test('a stored value is known to all servers', async () => {
    const { url } = await redisOfTest()
    const [{ cluster: one }, { cluster: two }] = [await member(url, 'one'), await member(url, 'two')]
    await one.set('place', 'here', 5_000)
    expect(await two.get('place')).toBe('here')
    expect(await two.get('nowhere')).toBeUndefined()
  })

  test('messages reach the other servers, and answers come back with the deadline of the caller', async () => {
    const { url } = await redisOfTest()
    const [{ cluster: one }, { cluster: two }] = [await member(url, 'one'), await member(url, 'two')]
    const heard: string[] = []
    two.subscribe('news', (message, from) => heard.push(`${from} ${message}`))
    one.subscribe('news', () => heard.push('own'))
    let canceled = false
    two.answer('double', async (body) => Number(body) * 2)
    two.answer('fail', () => Promise.reject(new Error('Not today.')))
    two.answer('wait', (_, signal) => new Promise(() => signal.addEventListener('abort', () => (canceled = true))))
    await until(() => one.ask(two.id, 'double', 1).catch(() => undefined))
    for (const text of ['1', '2', '3']) {
      one.publish('news', text)
    }
    expect(await one.ask(two.id, 'double', 21)).toBe(42)
    expect(heard).toEqual(['1', '2', '3'].map((text) => `${one.id} ${text}`))
    await expect(one.ask(two.id, 'fail', null)).rejects.toThrow('Not today.')
    await expect(one.ask('000000000000', 'double', 1)).rejects.toThrow(ClusterAway)
    const deadline = new AbortController()
    const waiting = one.ask(two.id, 'wait', null, deadline.signal).catch(String)
    await one.ask(two.id, 'double', 1)
    deadline.abort()
    expect(await waiting).toContain('canceled')
    await until(() => canceled)
    await expect(one.ask(two.id, 'wait', null, AbortSignal.abort())).rejects.toThrow('aborted')
  })

  test('a lost Redis leaves each server with what it saw, and a returned one joins them again', async () => {
    const redis = await redisOfTest()
    const [one, two] = [await member(redis.url, 'one'), await member(redis.url, 'two')]
    await until(() => idsOf(one).length === 2 && idsOf(two).length === 2)
    await redis.stop()
    await until(() => one.cluster.isAlone && two.cluster.isAlone)
    expect(idsOf(one)).toHaveLength(2)
    await expect(one.cluster.get('place')).rejects.toThrow(ClusterAway)
    await redis.start()
    await until(() => !one.cluster.isAlone && !two.cluster.isAlone)
    expect(await until(() => one.cluster.ask(two.cluster.id, 'nothing', 1).catch(String))).toContain(
      'does not know the method',
    )
    expect([...one.gone, ...two.gone]).toEqual([])
  })

  test('a process that stood still for longer than its lease holds nothing until it has caught up', async () => {
    const { url } = await redisOfTest()
    let skipped = 0
    const clock: Clock = { ...systemClock, uptime: () => systemClock.uptime() + skipped }
    const { cluster, catchUps } = await member(url, 'one', { clock, isHeld: true })
    expect(cluster.isCurrent).toBe(true)
    skipped = times.leaseMs + 100
    expect(cluster.isCurrent).toBe(false)
    catchUps[0]?.()
    await until(() => cluster.isCurrent)
    expect(catchUps).toHaveLength(1)
  })
})
