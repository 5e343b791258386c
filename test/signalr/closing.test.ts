import { describe, expect, test } from 'vitest'
import { HubException } from '../../server/engines/signalr/hub.ts'
import { createWire, settle, whole, type WireClient } from '../support/wire.ts'

const base = 'Connection closed with an error.'
const close = (outcome: object = {}) => JSON.stringify({ type: 7, ...outcome })

describe('a connection that ends', () => {
  const oversize =
    'The maximum message size of 32768B was exceeded. The message size can be configured in AddHubOptions.'
  const terminated = 'Connection terminated while reading a message.'
  const table: [
    why: string,
    act: (client: WireClient) => unknown,
    closeMessage: object | undefined,
    callback: string,
    detail?: string,
  ][] = [
    [
      'over broken JSON',
      (client) => client.send('nonsense\x1e'),
      { error: base, allowReconnect: true },
      'disconnected: Error reading JSON.',
      'InvalidDataException: Error reading JSON.',
    ],
    [
      'over an empty record',
      (client) => client.send('\x1e'),
      { error: base, allowReconnect: true },
      'disconnected: Error reading JSON.',
      'InvalidDataException: Error reading JSON.',
    ],
    [
      'over a message that is too large',
      (client) => client.send('x'.repeat(32_769)),
      { error: base, allowReconnect: true },
      `disconnected: ${oversize}`,
      `InvalidDataException: ${oversize}`,
    ],
    ['because the hub says so', (client) => client.invoke('1', 'Abort'), {}, 'disconnected'],
    [
      'because the hub says so, to come back',
      (client) => client.invoke('1', 'AbortAndReconnect'),
      { allowReconnect: true },
      'disconnected',
    ],
    ['because the client says so', (client) => client.sendJson({ type: 7 }), {}, 'disconnected'],
    [
      'because the client says so, with an error',
      (client) => client.sendJson({ type: 7, error: 'tired' }),
      {},
      'disconnected: tired',
    ],
    ['with its transport', (client) => client.leave(), undefined, 'disconnected'],
    ['with its transport, lost', (client) => client.leave(false), undefined, 'disconnected'],
    [
      'with its transport, inside a message',
      (client) => (client.send('{"type":'), client.leave()),
      undefined,
      `disconnected: ${terminated}`,
    ],
    [
      'with its transport, lost inside a message',
      (client) => (client.send('{"type":'), client.leave(false)),
      undefined,
      'disconnected',
    ],
  ]
  test.each(table)('%s', async (_why, act, closeMessage, callback, detail) => {
    for (const detailedErrors of [false, true]) {
      const wire = createWire({ options: { detailedErrors } })
      const client = await wire.connect()
      const { signal } = client.connection
      act(client)
      const answers = await client.answers()
      const error = detail && detailedErrors ? { error: `${base} ${detail}` } : {}
      expect({ answers, events: wire.hub.events, isAborted: signal.aborted, errors: wire.errors }).toEqual({
        answers: closeMessage ? [close({ ...closeMessage, ...error })] : [],
        events: ['connected', callback],
        isAborted: true,
        errors: [],
      })
      expect([wire.engine.clients.connections.count, wire.clock.pending, client.connection.isEnded]).toEqual([
        0,
        0,
        true,
      ])
    }
  })

  test('while the hub is busy reports no incomplete message', async () => {
    const wire = createWire()
    const client = await wire.connect()
    client.invoke('1', 'Wait')
    client.invoke('2', 'Wait')
    client.sendJson({ type: 6 })
    client.leave()
    await settle()
    expect(wire.hub.events).toEqual(['connected', 'disconnected'])
  })

  test('sends nothing after Close, neither results nor answers to late messages', async () => {
    const wire = createWire()
    const client = await wire.connect()
    client.invoke('1', 'Wait')
    client.sendJson({ type: 7 })
    client.connection.abort()
    wire.hub.release('late')
    client.invoke('2', 'Note', 'unheard')
    await wire.engine.clients.all.send('Heard', ['x'])
    expect([await client.answers(), wire.hub.events]).toEqual([[close()], ['connected', 'disconnected']])
  })

  test('handles the messages before the invalid one', async () => {
    const wire = createWire()
    const client = await wire.connect({ cut: whole })
    client.send(
      '{"type":1,"target":"Note","arguments":["first"]}\x1enonsense\x1e{"type":1,"target":"Note","arguments":["last"]}\x1e',
    )
    await settle()
    expect(wire.hub.events.slice(0, 2)).toEqual(['connected', 'note first'])
    expect(wire.hub.events).toHaveLength(3)
  })

  test('runs its disconnected callback after all abort listeners', async () => {
    const wire = createWire()
    const client = await wire.connect()
    client.connection.signal.addEventListener('abort', () => wire.hub.events.push('aborted'))
    client.connection.abort()
    expect(wire.hub.events).toEqual(['connected', 'aborted', 'disconnected'])
    expect(client.connection.signal.aborted).toBe(true)
  })

  test('keeps its transport until the disconnected callback is done', async () => {
    const wire = createWire()
    let finish = () => {}
    wire.hub.onDisconnected = () => new Promise<void>((resolve) => (finish = resolve))
    const client = await wire.connect()
    client.connection.abort()
    await settle()
    expect([await client.answers(), client.transport.ending]).toEqual([[close()], undefined])
    finish()
    await settle()
    expect([client.transport.ending, wire.engine.clients.connections.count]).toEqual(['ended', 0])
  })

  test('drops its transport after a time limit when the disconnected callback hangs', async () => {
    const wire = createWire()
    wire.hub.onDisconnected = () => new Promise(() => {})
    const client = await wire.connect()
    client.connection.abort()
    await wire.clock.advance(5_000)
    expect(client.transport.ending).toBe('destroyed')
  })

  test('logs a disconnected callback that fails', async () => {
    for (const fail of [
      () => Promise.reject(new Error('oops')),
      () => {
        throw new Error('oops')
      },
    ]) {
      const wire = createWire()
      wire.hub.onDisconnected = fail
      const client = await wire.connect()
      client.leave()
      await settle()
      expect([wire.errors, wire.clock.pending]).toEqual([['The disconnected callback failed. oops'], 0])
    }
  })
})

describe('the connected callback', () => {
  const failures: [string, () => never | Promise<never>, string][] = [
    [
      'throws',
      () => {
        throw new TypeError('oops')
      },
      base,
    ],
    ['rejects', () => Promise.reject(new TypeError('oops')), base],
    ['rejects with a HubException', () => Promise.reject(new HubException('not you')), `${base} HubException: not you`],
  ]
  test.each(failures)('%s: Close without reconnect, no disconnected callback', async (_what, fail, error) => {
    const wire = createWire()
    wire.hub.onConnected = fail
    const client = wire.open()
    client.send('{"protocol":"json","version":1}\x1e')
    expect({ answers: await client.answers(), ending: client.transport.ending, events: wire.hub.events }).toEqual({
      answers: ['{}', close({ error })],
      ending: 'ended',
      events: [],
    })
    expect([wire.errors.length, wire.engine.clients.connections.count, wire.clock.pending]).toEqual([1, 0, 0])
  })

  test('that finishes after its client has disconnected is followed by the disconnected callback', async () => {
    const wire = createWire()
    const { hub } = wire
    let finish = () => {}
    hub.onConnected = () => new Promise<void>((resolve) => (finish = resolve))
    const client = wire.open()
    client.send('{"protocol":"json","version":1}\x1e')
    client.leave()
    await settle()
    expect(hub.events).toEqual([])
    finish()
    await settle()
    expect([hub.events, wire.clock.pending]).toEqual([['disconnected'], 0])
  })

  test('may end the connection', async () => {
    for (const isAsync of [false, true]) {
      const wire = createWire()
      wire.hub.onConnected = (connection) => {
        connection.abort()
        return isAsync ? settle() : undefined
      }
      const client = wire.open()
      client.send('{"protocol":"json","version":1}\x1e')
      await settle()
      expect([await client.answers(), wire.hub.events, client.transport.ending]).toEqual([
        ['{}', close()],
        ['disconnected'],
        'ended',
      ])
    }
  })
})

describe('draining', () => {
  test('ends connections at a pace and lets their clients reconnect, those with running calls last', async () => {
    const wire = createWire()
    const [calling, asked, ...idle] = [
      await wire.connect(),
      await wire.connect(),
      await wire.connect(),
      await wire.connect(),
      await wire.connect(),
    ]
    calling.invoke('1', 'Wait')
    const result = wire.clients.invoke(asked.id, 'Ask', [])
    const [question] = await asked.answers()
    const { invocationId } = JSON.parse(question!) as { invocationId: string }
    const ended = () => [calling, asked, ...idle].map(({ connection }) => connection.isEnded)
    const drained = wire.engine.drain(100, new AbortController().signal)
    expect([ended(), wire.engine.rejectsNew]).toEqual([[false, false, true, true, false], true])
    await wire.clock.advance(60)
    expect(ended()).toEqual([false, false, true, true, true])
    asked.sendJson({ type: 3, invocationId, result: 'yes' })
    wire.hub.release('done')
    expect(await result).toBe('yes')
    await wire.clock.advance(40)
    await drained
    expect(await calling.answers()).toEqual([expect.stringContaining('done'), close({ allowReconnect: true })])
    expect([ended(), wire.clock.pending]).toEqual([[true, true, true, true, true], 0])
  })

  test('leaves the rest open when it is aborted', async () => {
    const wire = createWire()
    const client = await wire.connect()
    client.invoke('1', 'Wait')
    await settle()
    const end = new AbortController()
    const drained = wire.engine.drain(100, end.signal)
    end.abort()
    await drained
    expect(client.connection.isEnded).toBe(false)
  })
})

describe('shutting down', () => {
  test('closes every connection and allows the clients to reconnect', async () => {
    const wire = createWire()
    const clients = [await wire.connect(), await wire.connect({ protocol: 'messagepack' })] as const
    wire.open()
    await wire.engine.close()
    expect([await clients[0].answers(), clients[1].takePacked().at(-1)]).toEqual([
      [close({ allowReconnect: true })],
      { type: 7, error: undefined, allowReconnect: true },
    ])
    expect([wire.hub.events, wire.clock.pending]).toEqual([
      ['connected', 'connected', 'disconnected', 'disconnected'],
      0,
    ])
  })

  test('waits for disconnected callbacks up to a time limit', async () => {
    const wire = createWire()
    wire.hub.onDisconnected = () => new Promise(() => {})
    await wire.connect()
    let isClosed = false
    void wire.engine.close().then(() => (isClosed = true))
    await wire.clock.advance(4_000)
    expect(isClosed).toBe(false)
    await wire.clock.advance(1_000)
    expect([isClosed, wire.clock.pending]).toEqual([true, 0])
  })

  test('drops connections that are still open at the time limit, without their disconnected callbacks', async () => {
    const wire = createWire({ options: { shutdownTimeoutMs: 500 } })
    const clients = [await wire.connect(), await wire.connect(), await wire.connect()]
    wire.hub.onDisconnected = () => {
      wire.hub.events.push('disconnected')
      const sliceEndsAt = performance.now() + 6
      while (performance.now() < sliceEndsAt) {
        // Takes longer than a time slice: the engine yields before it ends the next connection.
      }
    }
    const closed = wire.engine.close()
    await wire.clock.advance(500)
    await closed
    expect(wire.hub.events).toEqual(['connected', 'connected', 'connected', 'disconnected'])
    expect(clients.map(({ transport }) => transport.ending)).toEqual(['ended', 'destroyed', 'destroyed'])
    expect(wire.clock.pending).toBe(0)
  })
})
