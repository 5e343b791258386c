import { expect, test } from 'vitest'
import { AgentSpread } from '../../../../server/surface/cluster/agent-spread.ts'
import { manualClock } from '../../../support/clock.ts'
import { createTestLog } from '../../../support/log.ts'
import { settle } from '../../../support/wire.ts'

const minuteMs = 60_000

interface Scene {
  /** Agents of this server, and of each other one. */
  agents: readonly [here: number, ...others: number[]]
  busy?: ReadonlySet<string>
  /** Server that an agent gets when it connects again. */
  next?: () => string
  hasRunningBatch?: boolean
}

/** Servers `s0` (this one), `s1` … with agents `d0`, `d1` …, and a clock. */
function spreadOf({ agents, busy = new Set(), next = () => 's1', hasRunningBatch = false }: Scene) {
  const connections = new Map<string, string>()
  agents.forEach((count, server) => {
    for (let index = 0; index < count; index++) {
      connections.set(`d${connections.size}`, `c.s${server}`)
    }
  })
  const clock = manualClock()
  const cluster = {
    id: 's0',
    isAlone: false,
    draining: '',
    servers: () =>
      agents.map((_, index) => {
        const id = `s${index}`
        return { id, url: '', version: '1', startedAt: 0, isDraining: id === cluster.draining }
      }),
    onChange: (listener: () => void) => ((changed = listener), () => {}),
  }
  let changed = () => {}
  const rounds: number[] = []
  const spread = new AgentSpread({
    clock,
    log: createTestLog(),
    cluster,
    *agents() {
      for (const [deviceId, server] of connections) {
        yield { deviceId, connectionId: `${deviceId}.${server}` }
      }
    },
    connectionOf: (deviceId) => connections.get(deviceId) ?? '',
    isBusy: ({ deviceId }) => busy.has(deviceId),
    hasRunningBatch: () => Promise.resolve(hasRunningBatch),
    reconnect: (connectionId) => {
      connections.set(connectionId.split('.')[0]!, `c.${next()}`)
      rounds[rounds.length - 1]!++
    },
  })
  return {
    spread,
    cluster,
    changed: () => changed(),
    here: () => [...connections].filter(([, connection]) => connection.endsWith('.s0')).map(([deviceId]) => deviceId),
    /** Lets time pass; returns how many agents were asked in each ten seconds. */
    async pass(ms: number) {
      rounds.length = 0
      for (let passed = 0; passed < ms; passed += 10_000) {
        rounds.push(0)
        clock.advance(10_000)
        await settle()
      }
      return rounds.slice()
    },
  }
}

test('a server with all agents gives them to the others, some at a time, until each has about its part', async () => {
  const { pass, here } = spreadOf({ agents: [100, 0] })
  expect(Math.max(...(await pass(10 * minuteMs)))).toBe(5)
  expect(here().length).toBeGreaterThan(50)
  expect(here().length).toBeLessThanOrEqual(60)
})

test('many agents are spread by more in a round', async () => {
  const { pass } = spreadOf({ agents: [1_000, 0] })
  expect(Math.max(...(await pass(2 * minuteMs)))).toBe(20)
})

test.for([
  [[10, 8], 'differ by chance'],
  [[8, 0], 'are few'],
  [[0, 100], 'are on another server'],
  [[100], 'have one server'],
] as const)('agents %j that %s stay', async ([agents]) => {
  const { pass } = spreadOf({ agents })
  expect(Math.max(...(await pass(5 * minuteMs)))).toBe(0)
})

test('agents stay for a minute after the servers have changed, and while Redis is away', async () => {
  const { pass, changed, cluster } = spreadOf({ agents: [100, 0] })
  expect(await pass(50_000)).toEqual([0, 0, 0, 0, 0])
  changed()
  expect(await pass(50_000)).toEqual([0, 0, 0, 0, 0])
  cluster.isAlone = true
  expect(Math.max(...(await pass(2 * minuteMs)))).toBe(0)
  cluster.isAlone = false
  expect(Math.max(...(await pass(20_000)))).toBe(5)
})

test.for(['s0', 's1', 's2'])('agents stay while one of the servers drains: %s', async (server) => {
  const { pass, cluster } = spreadOf({ agents: [100, 0, 0] })
  cluster.draining = server
  expect(Math.max(...(await pass(5 * minuteMs)))).toBe(0)
  cluster.draining = ''
  expect(Math.max(...(await pass(10_000)))).toBe(5)
})

test('busy agents stay, and all of them while a batch runs', async () => {
  const busy = new Set(Array.from({ length: 97 }, (_, index) => `d${index}`))
  const { pass, here } = spreadOf({ agents: [100, 0], busy })
  await pass(5 * minuteMs)
  expect(here()).toEqual([...busy])
  const held = spreadOf({ agents: [100, 0], hasRunningBatch: true })
  expect(Math.max(...(await held.pass(5 * minuteMs)))).toBe(0)
})

test('the pause doubles while agents return to the same server', async () => {
  const { pass } = spreadOf({ agents: [100, 0], next: () => 's0' })
  await pass(2 * minuteMs)
  const day = await pass(24 * 60 * minuteMs)
  expect(day.filter((count) => count > 0).length).toBeLessThan(35)
})

test('a stopped spread asks nobody', async () => {
  const { pass, spread } = spreadOf({ agents: [100, 0] })
  spread.stop()
  expect(Math.max(...(await pass(5 * minuteMs)))).toBe(0)
})
