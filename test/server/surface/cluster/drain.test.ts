import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { HttpServer } from '../../../../server/engines/http/web/http-server.ts'
import { Drain } from '../../../../server/surface/cluster/drain.ts'
import { manualClock } from '../../../support/clock.ts'
import { createTestLog } from '../../../support/log.ts'
import { requestLimits } from '../../../../server/engines/http/web/http-server.ts'
import { settle } from '../../../support/wire.ts'

/** Drain of a server beside others, of which it knows `joined` only when it asks; its connections end when a test says so. */
function drainOf({ others = 1, joined = 0, othersDrain = false, hasUnanswered = false, delayMs = 5_000 } = {}) {
  const clock = manualClock()
  const server = { id: '', url: '', version: '1', startedAt: 0 }
  const other = { ...server, isDraining: othersDrain }
  let known = others
  let isAnnounced = false
  const cluster = {
    servers: () => [server, ...Array.from({ length: known }, () => other)],
    hasUnanswered,
    refresh: async () => void (known += joined),
    announceDrain: () => void (isAnnounced = true),
  }
  const isPassedOn = ({ headers }: { headers: object }) => 'x-passed-on' in headers
  const drain = new Drain({ clock, log: createTestLog(), cluster, delayMs, isPassedOn })
  const hurry = new AbortController()
  let endConnections: (() => void) | undefined
  const hubs = {
    drain: (_: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        endConnections = resolve
        signal.addEventListener('abort', () => resolve())
        if (signal.aborted) {
          resolve()
        }
      }),
  }
  let isOver = false
  void drain.run(hubs, hurry.signal).then(() => (isOver = true))
  return {
    drain,
    hurry,
    endConnections: () => endConnections?.(),
    state: () => ({ isRunning: drain.isRunning, isAnnounced, endsConnections: endConnections !== undefined, isOver }),
    async pass(ms: number) {
      await settle()
      clock.advance(ms)
      await settle()
    },
  }
}

/** Serves requests around a drain; returns their statuses. */
async function serve(drain: Drain) {
  const server = new HttpServer(
    requestLimits,
    drain.around((_request, response) => void response.end()),
  )
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { ...init, keepalive: false }).then(({ status }) => status)
}

test('a drain lets the balancer notice, then ends connections, then rejects reads for a second', async () => {
  const { drain, pass, state, endConnections } = drainOf()
  const statusOf = await serve(drain)
  await pass(4_999)
  expect(state()).toEqual({ isRunning: true, isAnnounced: true, endsConnections: false, isOver: false })
  await pass(1)
  expect([state().endsConnections, await statusOf('/api/v1/devices')]).toEqual([true, 200])
  endConnections()
  await pass(999)
  const statuses = [
    statusOf('/api/v1/devices'),
    statusOf('/health'),
    statusOf('/api/v1/tags', { method: 'POST' }),
    statusOf('/api/v1/devices', { headers: { 'x-passed-on': '1' } }),
  ]
  expect(await Promise.all(statuses)).toEqual([503, 200, 200, 200])
  expect(state().isOver).toBe(false)
  await pass(1)
  expect(state().isOver).toBe(true)
})

test('connections that do not end within a minute are left to the stop', async () => {
  const { pass, state } = drainOf()
  await pass(5_000)
  await pass(60_000)
  await pass(1_000)
  expect(state().isOver).toBe(true)
})

test('an aborted drain is over at once, in each of its phases', async () => {
  for (const phases of [[], [5_000], [5_000, 60_000]]) {
    const { hurry, pass, state } = drainOf()
    for (const ms of phases) {
      await pass(ms)
    }
    hurry.abort()
    await settle()
    expect(state()).toMatchObject({ isRunning: true, isOver: true })
  }
})

test.for([{ joined: 1 }, { hasUnanswered: true }])(
  'a server drains beside one that joined a moment ago: %j',
  async (other) => {
    const { state } = drainOf({ others: 0, ...other })
    await settle()
    expect(state()).toMatchObject({ isRunning: true, isAnnounced: true })
  },
)

test('a server without others that stay, or without a delay, does not drain', async () => {
  for (const { state } of [drainOf({ others: 0 }), drainOf({ othersDrain: true }), drainOf({ delayMs: 0 })]) {
    await settle()
    expect(state()).toEqual({ isRunning: false, isAnnounced: false, endsConnections: false, isOver: true })
  }
})
