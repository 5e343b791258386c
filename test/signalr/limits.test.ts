import { encode } from '@msgpack/msgpack'
import { describe, expect, test } from 'vitest'
import { decodeMessage } from '../../server/engines/signalr/protocol/messagepack.ts'
import { steady, until } from '../support/until.ts'
import { createWire, settle, whole } from '../support/wire.ts'

const echo = (id: string, text: string) =>
  `{"type":1,"invocationId":"${id}","target":"Echo","arguments":["${text}"]}\x1e`
const ofSize = (bytes: number) => echo('1', 'x'.repeat(bytes - echo('1', '').length))

test('a message of exactly the limit is accepted, one byte more is rejected', async () => {
  const wire = createWire()
  const [fitting, tooLarge] = [await wire.connect(), await wire.connect()]
  fitting.send(ofSize(32_768))
  tooLarge.send(ofSize(32_769))
  await settle()
  expect([fitting.connection.isEnded, tooLarge.connection.isEnded]).toEqual([false, true])
})

test('small messages in one large chunk are accepted, also before a message that is too large', async () => {
  const wire = createWire()
  const client = await wire.connect({ cut: whole })
  client.send(echo('1', 'x').repeat(2_000))
  await until(() => !client.isHeldBack)
  expect(await client.answers()).toHaveLength(2_000)
  client.send(echo('1', 'x') + ofSize(40_000))
  const answers = await client.answers()
  expect(answers.map((text) => JSON.parse(text).type)).toEqual([3, 7])
})

test('after 16 messages of one client the reader yields to other clients', async () => {
  const wire = createWire()
  const [busy, other] = [await wire.connect({ cut: whole }), await wire.connect({ cut: whole })]
  busy.send(echo('1', 'x').repeat(1_000))
  const first = busy.take().length
  expect([first > 0, first <= 16, busy.isHeldBack]).toEqual([true, true, true])
  other.send(echo('1', 'x'))
  expect(other.take()).toHaveLength(1)
  await until(() => !busy.isHeldBack)
  expect(busy.take()).toHaveLength(1_000 - first)
})

test('input sent before the transport closed is read to its end', async () => {
  const wire = createWire()
  const client = await wire.connect({ cut: whole })
  client.send('{"type":1,"target":"Note","arguments":["x"]}\x1e'.repeat(1_000))
  client.leave()
  await settle()
  expect(wire.hub.events.filter((event) => event === 'note x')).toHaveLength(1_000)
})

test('without a limit, large messages are accepted', async () => {
  const wire = createWire({ options: { maxReceiveMessageBytes: null } })
  const client = await wire.connect()
  client.send(ofSize(3_000_000))
  expect((await client.answers())[0]).toHaveLength(
    3_000_000 - echo('1', '').length + '{"type":3,"invocationId":"1","result":""}'.length,
  )
})

describe('with a limit of twenty values per message', () => {
  // The message counts five: itself, its further members and the two lists around the zeros.
  const zeros = (count: number) =>
    `{"type":1,"invocationId":"1","target":"Echo","arguments":[[${Array(count).fill(0).join()}]]}\x1e`
  const quoted = `{"type":1,"invocationId":"1","target":"Echo","arguments":["${'[,{\\"\\\\'.repeat(50)}"]}\x1e`

  test.each([
    ['twenty', zeros(15), false],
    ['one more', zeros(16), true],
    ['brackets and commas in a text', quoted, false],
  ])('one with %s is read as far as that is permitted', async (_, message, isEnded) => {
    const wire = createWire({ options: { maxMessageValues: 20 } })
    const client = await wire.connect()
    client.send(message)
    await settle()
    expect(client.connection.isEnded).toBe(isEnded)
  })

  test('a MessagePack message counts every value', () => {
    const message = (count: number) => encode([1, {}, '1', 'Echo', [Array(count).fill(0)], []])
    expect(decodeMessage(message(12), 20)).toMatchObject({ target: 'Echo' })
    expect(() => decodeMessage(message(13), 20)).toThrow('The maximum of 20 values in a message was exceeded.')
  })
})

test('a busy hub pauses the input at 64 KiB and resumes it when done', async () => {
  const wire = createWire()
  const client = await wire.connect({
    cut: (bytes) => [bytes.subarray(0, 60_000), bytes.subarray(60_000, 70_000), bytes.subarray(70_000)],
  })
  client.invoke('0', 'Wait')
  client.send(echo('1', 'x'.repeat(1_000)).repeat(100))
  await settle()
  expect([client.isHeldBack, await client.answers()]).toEqual([true, []])
  wire.hub.release('go')
  await until(() => !client.isHeldBack)
  expect(await client.answers()).toHaveLength(101)
})

test('a client whose input is paused is released when its connection ends', async () => {
  const wire = createWire()
  const client = await wire.connect({ cut: whole })
  client.invoke('0', 'Wait')
  client.send(echo('1', 'x'.repeat(1_000)).repeat(100))
  expect(client.isHeldBack).toBe(true)
  client.connection.abort()
  await settle()
  expect(client.isHeldBack).toBe(false)
})

test('sends to a slow client wait beyond 64 KiB until it reads or disconnects', async () => {
  const wire = createWire()
  const [slow, quick, gone] = [await wire.connect(), await wire.connect(), await wire.connect()]
  slow.transport.isStuck = gone.transport.isStuck = true
  const done: string[] = []
  const send = (who: string, id: string, bytes: number) =>
    wire.engine.clients
      .client(id)
      .send('Heard', ['x'.repeat(bytes)])
      .then(() => done.push(who))
  void send('slow, little', slow.id, 1_000)
  void send('slow, much', slow.id, 70_000)
  void send('quick', quick.id, 70_000)
  void send('gone', gone.id, 70_000)
  await settle()
  expect(done.sort()).toEqual(['quick', 'slow, little'])
  slow.transport.flow()
  gone.leave()
  await settle()
  expect(done.sort()).toEqual(['gone', 'quick', 'slow, little', 'slow, much'])
})

test('a stream to a slow client stops producing items', async () => {
  const wire = createWire({ options: { transportBufferBytes: 1_000 } })
  const client = await wire.connect()
  client.transport.isStuck = true
  client.stream('1', 'CountTo', 100)
  await settle()
  const produced = client.take().length
  expect(produced).toBeLessThan(50)
  for (let i = 0; i < 5; i++) {
    await settle()
  }
  expect(client.take()).toEqual([])
  client.transport.flow()
  await settle()
  expect(client.take()).toHaveLength(100 - produced + 1)
})

test('no further invocation is read from a client that does not read its answers', async () => {
  const wire = createWire({ options: { transportBufferBytes: 10_000 } })
  const client = await wire.connect({ cut: whole })
  client.transport.isStuck = true
  for (let i = 0; i < 100; i++) {
    client.send(echo(String(i), 'x'.repeat(1_000)))
  }
  await settle()
  expect(client.take().length).toBeLessThan(12)
  client.transport.flow()
  expect(await steady(() => client.transport.written.length)).toBeGreaterThan(80)
})

test('no further invocation is read from a client that does not read its rejections', async () => {
  const wire = createWire({ options: { transportBufferBytes: 1_000 } })
  const client = await wire.connect({ cut: whole })
  client.transport.isStuck = true
  for (let i = 0; i < 100; i++) {
    client.invoke(String(i), 'Nope')
  }
  await settle()
  expect(client.take().length).toBeLessThan(12)
})

test('a client that opens more streams than allowed is rejected', async () => {
  const wire = createWire({ options: { maxStreams: 2 } })
  const client = await wire.connect()
  client.stream('1', 'Silence')
  client.sendJson({ type: 1, invocationId: '2', target: 'IgnoreUpload', arguments: [], streamIds: ['s'] })
  client.stream('3', 'Silence')
  const error =
    "An unexpected error occurred invoking 'Silence' on the server. HubException: No more than 2 streams may be open."
  expect(await client.answers()).toEqual([JSON.stringify({ type: 3, invocationId: '3', error })])
  client.sendJson({ type: 5, invocationId: '1' })
  client.stream('4', 'CountTo', 0)
  expect(await client.answers()).toEqual(['{"type":3,"invocationId":"1"}', '{"type":3,"invocationId":"4"}'])
})

test('upload streams that buffer too many bytes together pause the input of their connection', async () => {
  const wire = createWire({ options: { streamBufferBytes: 100 } })
  const client = await wire.connect()
  const ignore = (stream: string, invocationId: string) =>
    client.sendJson({ type: 1, invocationId, target: 'IgnoreUpload', arguments: [], streamIds: [stream] })
  const item = (stream: string) => client.sendJson({ type: 2, invocationId: stream, item: 1 })
  const answer = (invocationId: string, result: string) => JSON.stringify({ type: 3, invocationId, result })
  ignore('s', '1')
  ignore('t', '2')
  item('s')
  item('t')
  client.invoke('3', 'Echo', 'before')
  expect(await client.answers()).toEqual([answer('3', 'before')])
  item('s')
  client.invoke('4', 'Echo', 'after')
  expect(await client.answers()).toEqual([])
  wire.hub.release('done')
  expect(await client.answers()).toEqual([answer('1', 'done'), answer('4', 'after')])
})
