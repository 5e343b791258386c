import { expect, test, vi } from 'vitest'
import { createWire, settle } from '../support/wire.ts'
import type { Audience, HubClients } from '../../server/engines/signalr/index.ts'
import * as json from '../../server/engines/signalr/protocol/json.ts'

const heard = (...args: unknown[]) => JSON.stringify({ type: 1, target: 'Heard', arguments: args })

/** a, b (of user u) and c (of user v); a and b in group g, b and c in group h. */
async function three() {
  const wire = createWire()
  const a = await wire.connect({ userId: 'u' })
  const b = await wire.connect({ userId: 'u', protocol: 'messagepack' })
  const c = await wire.connect({ userId: 'v' })
  const { clients } = wire.engine
  const { connections } = clients
  connections.add(a.id, 'g')
  connections.add(b.id, 'g')
  connections.add(b.id, 'h')
  connections.add(c.id, 'h')
  const received = () => ({ a: a.take().length, b: b.takePacked().length, c: c.take().length })
  return { wire, a, b, c, clients, connections, received }
}

type Three = Awaited<ReturnType<typeof three>>

const table: [who: string, audience: (clients: HubClients, all: Three) => Audience, a: number, b: number, c: number][] =
  [
    ['all', (clients) => clients.all, 1, 1, 1],
    ['all except', (clients, { a }) => clients.allExcept([a.id, 'x']), 0, 1, 1],
    ['one', (clients, { b }) => clients.client(b.id), 0, 1, 0],
    ['an unknown one', (clients) => clients.client('x'), 0, 0, 0],
    ['some, each once', (clients, { a, c }) => clients.clients([a.id, c.id, a.id, 'x']), 1, 0, 1],
    ['a group', (clients) => clients.group('g'), 1, 1, 0],
    ['a group of other case', (clients) => clients.group('G'), 0, 0, 0],
    ['a group except', (clients, { b }) => clients.groupExcept('g', [b.id]), 1, 0, 0],
    ['groups, a common member twice', (clients) => clients.groups(['g', 'h', 'x']), 1, 2, 1],
    ['a user', (clients) => clients.user('u'), 1, 1, 0],
    ['users, each once', (clients) => clients.users(['u', 'v', 'u']), 1, 1, 1],
    ['a prototype key', (clients) => clients.group('__proto__'), 0, 0, 0],
  ]
test.each(table)('sending to %s', async (_who, audience, ...expected) => {
  const all = await three()
  await audience(all.clients, all).send('Heard', ['x'])
  expect(Object.values(all.received())).toEqual(expected)
})

test('an empty group name in a list is an error', async () => {
  const { clients } = await three()
  expect(() => clients.groups(['g', ''])).toThrow('Group name cannot be empty.')
})

test('joining twice, joining as an unknown connection and leaving as a non-member have no effect', async () => {
  const { connections, clients, received, a } = await three()
  connections.add(a.id, 'g')
  connections.add('x', 'g')
  connections.remove(a.id, 'h')
  connections.remove('x', 'g')
  await clients.group('g').send('Heard', [])
  expect(received()).toEqual({ a: 1, b: 1, c: 0 })
  connections.remove(a.id, 'g')
  await clients.group('g').send('Heard', [])
  expect(received()).toEqual({ a: 0, b: 1, c: 0 })
})

test('a connection that has ended is in no group and cannot join one', async () => {
  const { connections, clients, received, a } = await three()
  a.connection.abort()
  connections.add(a.id, 'g')
  a.take()
  await clients.group('g').send('Heard', [])
  await clients.user('u').send('Heard', [])
  expect([received(), connections.count, connections.get(a.id), [...connections].length]).toEqual([
    { a: 0, b: 2, c: 0 },
    2,
    undefined,
    2,
  ])
})

test('a connection that ends leaves its groups before its disconnected callback runs', async () => {
  const { connections, wire, a } = await three()
  const members: number[] = []
  wire.hub.onDisconnected = ({ id }) => {
    connections.add(id, 'late')
    members.push(connections.group('g').size, connections.group('late').size, connections.user('u').size)
  }
  a.leave()
  expect(members).toEqual([1, 0, 1])
})

test('hub methods can send to a group and to all others', async () => {
  const wire = createWire()
  const [a, b] = [await wire.connect(), await wire.connect()]
  a.invoke(undefined, 'Join', 'g')
  a.invoke(undefined, 'ToGroup', 'g', 1)
  a.invoke(undefined, 'ToOthers', 2)
  a.invoke(undefined, 'Leave', 'g')
  a.invoke(undefined, 'ToGroup', 'g', 3)
  expect([await a.answers(), await b.answers()]).toEqual([[heard(1)], [heard(2)]])
})

test('a message to many connections is serialized once per protocol', async () => {
  const { clients, wire } = await three()
  for (let i = 0; i < 10; i++) {
    await wire.connect()
  }
  const write = vi.spyOn(json.jsonProtocol, 'write')
  await clients.all.send('Heard', ['x'])
  expect(write).toHaveBeenCalledTimes(1)
  write.mockRestore()
})

test('arguments are presented once per protocol', async () => {
  const { clients, wire, a, b } = await three()
  wire.hub.presentArgs = (target, args, protocol) => [target, ...args, protocol]
  await clients.all.send('Heard', ['x'])
  expect([a.take(), b.takePacked()]).toEqual([
    [heard('Heard', 'x', 'json')],
    [expect.objectContaining({ args: ['Heard', 'x', 'messagepack'] })],
  ])
})

test('a message that cannot be serialized ends the connections it was sent to and does not throw', async () => {
  const { clients, wire, a, b, c } = await three()
  await clients.group('g').send('Heard', [2n ** 64n])
  await settle()
  expect([a, b, c].map((client) => client.connection.isEnded)).toEqual([true, true, false])
  expect(wire.hub.events.filter((event) => event.startsWith('disconnected: '))).toHaveLength(2)
})
