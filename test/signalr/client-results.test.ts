import { expect, test } from 'vitest'
import { createWire, settle, type Wire, type WireClient } from '../support/wire.ts'
import type { HubException } from '../../server/engines/signalr/hub.ts'

const question = (id: string, target: string, ...args: unknown[]) =>
  JSON.stringify({ type: 1, invocationId: id, target, arguments: args })

async function asked() {
  const wire = createWire()
  const client = await wire.connect()
  return { wire, client }
}

const outcomeOf = (answer: Promise<unknown>) =>
  answer.then(
    (value) => ({ value }),
    (error: HubException) => `${error.name}: ${error.message}`,
  )

test('a hub method can invoke its own caller although no other slot is free', async () => {
  const { client } = await asked()
  client.invoke('1', 'AskMe', 'Give', 21)
  expect(await client.answers()).toEqual([question('s1', 'Give', 21)])
  client.sendJson({ type: 3, invocationId: 's1', result: 42 })
  expect(await client.answers()).toEqual(['{"type":3,"invocationId":"1","result":42}'])
})

test('a client is awaited until it has answered', async () => {
  const { client, wire } = await asked()
  const isAwaited = () => wire.clients.isAwaited(client.id)
  expect(isAwaited()).toBe(false)
  client.invoke('1', 'AskMe', 'Give', 21)
  await client.answers()
  expect(isAwaited()).toBe(true)
  client.sendJson({ type: 3, invocationId: 's1', result: 42 })
  await client.answers()
  expect(isAwaited()).toBe(false)
})

test('a method that invokes a client releases its slot only once', async () => {
  const { client, wire } = await asked()
  client.invoke('1', 'AskMe', 'Give', 21)
  client.invoke('2', 'Wait')
  client.invoke('3', 'Wait')
  await settle()
  expect(wire.hub.waiting).toBe(1)
  client.sendJson({ type: 3, invocationId: 's1', result: 42 })
  expect(await client.answers()).toEqual([question('s1', 'Give', 21)])
  wire.hub.release('two')
  expect((await client.answers()).map((text) => JSON.parse(text).invocationId)).toEqual(['2', '1'])
  expect(wire.hub.waiting).toBe(1)
})

test('the ids of client results are counted per hub', async () => {
  const { client, wire } = await asked()
  const other = await wire.connect()
  void outcomeOf(wire.engine.clients.invoke(client.id, 'A', []))
  void outcomeOf(wire.engine.clients.invoke(other.id, 'B', []))
  expect([await client.answers(), await other.answers()]).toEqual([[question('s1', 'A')], [question('s2', 'B')]])
})

const answers: [what: string, answer: object, outcome: unknown][] = [
  ['a result', { result: 1 }, { value: 1 }],
  ['null', { result: null }, { value: null }],
  ['an error', { error: "Client didn't provide a result." }, "HubException: Client didn't provide a result."],
  ['neither', {}, "HubException: Client didn't provide a result."],
  [
    'what can not be bound',
    { result: 'x' },
    'HubException: Error trying to deserialize result to GiveNumber. Expected a number.',
  ],
]
test.each(answers)('the client answers %s', async (what, answer, outcome) => {
  const { client, wire } = await asked()
  const target = what === 'null' ? 'Give' : 'GiveNumber'
  const result = outcomeOf(wire.engine.clients.invoke(client.id, target, []))
  client.sendJson({ type: 3, invocationId: 's1', ...answer })
  expect([await result, client.connection.isEnded]).toEqual([outcome, false])
})

const failures: [what: string, act: (client: WireClient, wire: Wire) => Promise<unknown>, outcome: string][] = [
  ['an unknown connection', (_, wire) => wire.engine.clients.invoke('x', 'A', []), "Connection 'x' does not exist."],
  [
    'a connection that ends',
    (client, wire) => {
      const result = wire.engine.clients.invoke(client.id, 'A', [])
      client.leave()
      return result
    },
    "Connection '{id}' disconnected.",
  ],
  [
    'a caller that cancels',
    (client, wire) => {
      const abort = new AbortController()
      const result = wire.engine.clients.invoke(client.id, 'A', [], abort.signal)
      setImmediate(() => abort.abort())
      return result
    },
    'Invocation canceled by the server.',
  ],
  [
    'a caller that cancelled before',
    (client, wire) => wire.engine.clients.invoke(client.id, 'A', [], AbortSignal.abort()),
    'Invocation canceled by the server.',
  ],
]
test.each(failures)('%s', async (_what, act, outcome) => {
  const { client, wire } = await asked()
  const text = await outcomeOf(act(client, wire))
  expect(text).toMatch(/^(HubException|OperationCanceledException): /)
  expect(String(text).replace(/^\w+: /, '')).toBe(outcome.replace('{id}', client.id))
})

test('a result that arrives after the caller cancelled is ignored', async () => {
  const { client, wire } = await asked()
  const abort = new AbortController()
  const result = outcomeOf(wire.engine.clients.invoke(client.id, 'A', [], abort.signal))
  abort.abort()
  await result
  client.sendJson({ type: 3, invocationId: 's1', result: 1 })
  expect([await client.answers(), client.connection.isEnded]).toEqual([[question('s1', 'A')], false])
})

test('a result from the wrong connection ends that connection and the invocation stays pending', async () => {
  const wire = createWire({ options: { detailedErrors: true } })
  const [client, impostor] = [await wire.connect(), await wire.connect()]
  const result = outcomeOf(wire.engine.clients.invoke(client.id, 'A', []))
  impostor.sendJson({ type: 3, invocationId: 's1', result: 'wrong' })
  const error = `Connection closed with an error. InvalidOperationException: Connection ID '${impostor.id}' is not valid for invocation ID 's1'.`
  expect(await impostor.answers()).toEqual([JSON.stringify({ type: 7, error, allowReconnect: true })])
  client.sendJson({ type: 3, invocationId: 's1', result: 'right' })
  expect(await result).toEqual({ value: 'right' })
})

test('invoking a client inside its connected or disconnected callback is rejected', async () => {
  const wire = createWire()
  const outcomes: unknown[] = []
  const ask = async ({ id }: { id: string }) =>
    void outcomes.push(await outcomeOf(wire.engine.clients.invoke(id, 'A', [])))
  wire.hub.onConnected = ask
  wire.hub.onDisconnected = ask
  const client = await wire.connect()
  client.leave()
  await settle()
  expect(outcomes).toEqual([
    'HubException: Client results inside OnConnectedAsync Hub methods are not allowed.',
    `HubException: Connection '${client.id}' disconnected.`,
  ])
})

test('a client result works in MessagePack', async () => {
  const wire = createWire()
  const client = await wire.connect({ protocol: 'messagepack' })
  client.sendPacked([1, {}, '1', 'AskMe', ['Give', 21], []])
  await settle()
  expect(client.takePacked()).toEqual([{ type: 1, invocationId: 's1', target: 'Give', args: [21], streamIds: [] }])
  client.sendPacked([3, {}, 's1', 3, new Uint8Array([1])])
  await settle()
  expect(client.takePacked()).toMatchObject([{ type: 3, invocationId: '1', result: new Uint8Array([1]) }])
})
