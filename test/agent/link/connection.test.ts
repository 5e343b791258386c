import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
import { systemClock, type Clock } from '../../../agent/base/clock.ts'
import { AgentConnection, reconnectDelaySeconds, type ConnectionDependencies } from '../../../agent/link/connection.ts'
import { openAccess } from '../../../agent/trust/access.ts'
import { agentHub } from '../../../shared/hubs/agent-hub.ts'
import { until } from '../../support/until.ts'
import { collectingLog, scriptedHub, separator } from '../support.ts'

/** System clock, a hundred times faster. */
const fastClock: Clock = { ...systemClock, after: (delayMs, run) => systemClock.after(delayMs / 100, run) }

/** Handlers that no test calls. */
const unexpected = () => {
  throw new Error('The server called a method that this test does not expect.')
}
const inert = Object.fromEntries(
  Object.keys(agentHub.client).map((name) => [name, unexpected]),
) as unknown as ConnectionDependencies['handlers']

function connect(serverUri: string, handlers: Partial<ConnectionDependencies['handlers']> = {}) {
  const log = collectingLog()
  const events: string[] = []
  const connection = new AgentConnection({
    access: openAccess(serverUri),
    clock: fastClock,
    log,
    random: () => 0.5,
    handlers: { ...inert, ...handlers },
    onConnected: () => void events.push('connected'),
    onDisconnected: (reason) => void events.push(reason),
  })
  const done = connection.run()
  onTestFinished(async () => {
    await connection.stop()
    await done
  })
  return { connection, events, log, done }
}

describe('reconnectDelaySeconds', () => {
  test.each([
    [0, 0, 3],
    [1, 1, 4],
    [2, 4, 10],
    [5, 25, 40],
    [6, 30, 48],
    [7, 30, 50],
    [100, 30, 50],
  ])('before try %i is between %i and %i s', (attempt, least, most) => {
    expect(reconnectDelaySeconds(attempt, () => 0)).toBe(least)
    expect(reconnectDelaySeconds(attempt, () => 1)).toBe(most)
  })
})

describe('AgentConnection', () => {
  test('connects without negotiation, calls the server and is called by it', async () => {
    const hub = await scriptedHub(({ type, target, invocationId }) =>
      type === 1 && target === 'SendTerminalOutputToViewer' ? { type: 3, invocationId } : undefined,
    )
    const { connection, events } = connect(hub.url, {
      CreateTerminalSession: (_id, viewer) => ({ isSuccess: true, shell: viewer }),
    })
    await until(() => events.includes('connected'))
    const terminalId = '11111111-2222-3333-4444-555555555555'
    const output = { terminalId, output: 'x', outputKind: 0, timestamp: '2026-01-02T00:00:00.000Z' } as const
    await connection.server.SendTerminalOutputToViewer('viewer-1', output)
    expect(hub.received[0]).toMatchObject({ type: 1, arguments: ['viewer-1', output] })
    hub.send({ type: 1, invocationId: 's1', target: 'CreateTerminalSession', arguments: [terminalId, 'viewer-2'] })
    const completion = await until(() => hub.received.find(({ type }) => type === 3))
    expect(completion).toMatchObject({ invocationId: 's1', result: { isSuccess: true, shell: 'viewer-2' } })
  })

  test('answers a call with invalid arguments without a result', async () => {
    const hub = await scriptedHub()
    const { events } = connect(hub.url, { CreateTerminalSession: () => ({ isSuccess: true }) })
    await until(() => events.includes('connected'))
    hub.send({ type: 1, invocationId: 's1', target: 'CreateTerminalSession', arguments: ['not an id', 5] })
    const completion = await until(() => hub.received.find(({ type }) => type === 3))
    expect(completion['invocationId']).toBe('s1')
    expect(completion['result'] ?? null).toBeNull()
  })

  test.each([
    ['a Close message without allowReconnect', (socket: WebSocket) => socket.send(`{"type":7}${separator}`)],
    ['a Close message with an error', (socket: WebSocket) => socket.send(`{"type":7,"error":"no"}${separator}`)],
    ['a cut connection', (socket: WebSocket) => socket.terminate()],
    ['nonsense', (socket: WebSocket) => socket.send(`{"type":${separator}`)],
  ])('reconnects after %s', async (_, end) => {
    const hub = await scriptedHub()
    const { events } = connect(hub.url)
    for (let times = 1; times <= 3; times++) {
      await until(
        () => hub.sockets.length === times && events.filter((event) => event === 'connected').length === times,
      )
      const socket = hub.sockets.at(-1)
      if (socket) {
        end(socket)
      }
      await until(() => events.length === 2 * times)
    }
    expect(hub.sockets.length).toBeGreaterThanOrEqual(3)
  })

  test('retries until a server answers, and logs why none does', async () => {
    const reserved = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => reserved.once('listening', resolve))
    const { port } = reserved.address() as AddressInfo
    await new Promise((resolve) => reserved.close(resolve))
    const { events } = connect(`http://127.0.0.1:${port}`)
    await until(() => events.length >= 3)
    expect(events[0]).toBe(
      `Cannot reach http://127.0.0.1:${port}: the connection was refused. Check that the server is running and that the port is right.`,
    )
    const late = new WebSocketServer({ port, host: '127.0.0.1' })
    onTestFinished(() => {
      late.clients.forEach((client) => client.terminate())
      late.close()
    })
    late.on('connection', (socket) => socket.once('message', () => socket.send(`{}${separator}`)))
    await until(() => events.includes('connected'))
  })

  test('stops on request, also while it waits for the next try', async () => {
    const { connection, events, done } = connect('http://127.0.0.1:1')
    await until(() => events.length > 0)
    await connection.stop()
    await done
    expect(events).not.toContain('connected')
  })
})
