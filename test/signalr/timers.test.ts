import { expect, test } from 'vitest'
import { createWire, settle } from '../support/wire.ts'

const silent = "Client hasn't sent a message/ping within the configured ClientTimeoutInterval."

test('a ping is sent every 15 s', async () => {
  const wire = createWire()
  const client = await wire.connect()
  await wire.clock.advance(14_000)
  expect(client.take()).toEqual([])
  await wire.clock.advance(1_000)
  expect(client.take()).toEqual(['{"type":6}'])
  await wire.clock.advance(30_000)
  expect(client.take()).toEqual(['{"type":6}', '{"type":6}'])
})

test('a connection with other messages gets a ping only 15 s after the last of them', async () => {
  const wire = createWire()
  const client = await wire.connect()
  await wire.clock.advance(10_000)
  void wire.engine.clients.client(client.id).send('Heard', [])
  await wire.clock.advance(14_000)
  expect(client.take()).toEqual(['{"type":1,"target":"Heard","arguments":[]}'])
  await wire.clock.advance(2_000)
  expect(client.take()).toEqual(['{"type":6}'])
})

test('a MessagePack ping is always the same three bytes', async () => {
  const wire = createWire()
  const client = await wire.connect({ protocol: 'messagepack' })
  await wire.clock.advance(15_000)
  expect(client.transport.written.at(-1)).toEqual({ payload: Buffer.from([2, 0x91, 6]), format: 'Binary' })
})

test('no ping is sent over long polling, nor while a write is in progress', async () => {
  const wire = createWire()
  const poller = await wire.connect({ transport: 'LongPolling' })
  const slow = await wire.connect()
  slow.transport.isStuck = true
  await wire.clock.advance(10_000)
  void wire.engine.clients.client(slow.id).send('Heard', [])
  slow.take()
  await wire.clock.advance(6_000)
  expect([poller.take(), slow.take()]).toEqual([[], []])
})

test('a client that never pings is never timed out', async () => {
  const wire = createWire()
  const client = await wire.connect()
  client.invoke('1', 'Echo', 1)
  await wire.clock.advance(600_000)
  expect(client.connection.isEnded).toBe(false)
})

test('a client that has pinged is timed out after 30 s of silence', async () => {
  const wire = createWire({ options: { detailedErrors: true } })
  const client = await wire.connect()
  client.sendJson({ type: 6 })
  await wire.clock.advance(29_000)
  client.sendJson({ type: 99 })
  await wire.clock.advance(30_000)
  expect(client.connection.isEnded).toBe(false)
  await wire.clock.advance(1_000)
  expect([client.take().at(-1), wire.hub.events.at(-1)]).toEqual([
    `{"type":7,"error":"Connection closed with an error. OperationCanceledException: ${silent}","allowReconnect":true}`,
    `disconnected: ${silent}`,
  ])
})

test('an incomplete message does not count as a sign of life', async () => {
  const wire = createWire()
  const client = await wire.connect()
  client.sendJson({ type: 6 })
  await wire.clock.advance(29_000)
  client.send('{"type":')
  await wire.clock.advance(2_000)
  expect(client.connection.isEnded).toBe(true)
})

test('the client timeout is suspended while a message waits for a slot', async () => {
  const wire = createWire()
  const client = await wire.connect()
  client.sendJson({ type: 6 })
  client.invoke('1', 'Wait')
  client.invoke('2', 'Wait')
  await wire.clock.advance(120_000)
  expect(client.connection.isEnded).toBe(false)
  wire.hub.release(1)
  await settle()
  await wire.clock.advance(32_000)
  expect(client.connection.isEnded).toBe(true)
})

test('a write that the network does not accept ends the connection after 10 s', async () => {
  const wire = createWire()
  const client = await wire.connect()
  client.transport.isStuck = true
  void wire.engine.clients.all.send('Heard', ['x'])
  await wire.clock.advance(9_000)
  client.transport.flow()
  client.transport.isStuck = true
  void wire.engine.clients.all.send('Heard', ['x'])
  await wire.clock.advance(10_000)
  expect(client.transport.ending).toBeUndefined()
  await wire.clock.advance(2_000)
  expect([client.transport.ending, wire.hub.events.at(-1), wire.clock.pending]).toEqual([
    'destroyed',
    'disconnected: The client did not read its messages in time.',
    0,
  ])
})

test('a connection without a transport is removed after 15 s', async () => {
  const wire = createWire()
  const caller = { principal: undefined, userId: undefined, remoteAddress: '' }
  const connection = wire.engine.accept(caller, { hasSecretToken: true })
  await wire.clock.advance(14_000)
  expect(wire.engine.find(connection.token, caller)).toBe(connection)
  await wire.clock.advance(1_000)
  expect([wire.engine.find(connection.token, caller), wire.clock.pending]).toEqual([undefined, 0])
})

test('one timer serves all connections and stops with the last one', async () => {
  const wire = createWire()
  const clients = [await wire.connect(), await wire.connect(), await wire.connect()]
  expect(wire.clock.pending).toBe(1)
  for (const client of clients) {
    client.leave()
  }
  await settle()
  expect(wire.clock.pending).toBe(0)
})

test('other work runs between the heartbeats of many connections', async () => {
  const wire = createWire()
  const order: string[] = []
  for (let count = 0; count < 3; count++) {
    const { transport } = await wire.connect()
    const tick = () => {
      order.push('heartbeat')
      const endsAt = performance.now() + 6
      while (performance.now() < endsAt) {
        // Takes longer than a time slice.
      }
    }
    Object.assign(transport, { tick })
  }
  setImmediate(() => order.push('other work'))
  await wire.clock.advance(1_000)
  await expect.poll(() => order).toHaveLength(4)
  expect(order.indexOf('other work')).toBe(1)
})
