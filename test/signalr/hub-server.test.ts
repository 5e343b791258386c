import { expect, test } from 'vitest'
import { systemClock } from '../../server/ground/clock.ts'
import { createHubServer, hubOf, type HubContext } from '../../server/engines/signalr/index.ts'
import { Clients } from '../../server/engines/signalr/clients.ts'
import { HubEngine } from '../../server/engines/signalr/hub-engine.ts'
import { createTestClock, settle, WireClient } from '../support/wire.ts'
import { createTestHub, silentLog } from '../support/test-hub.ts'

const create = () => createHubServer({ clock: systemClock, log: silentLog })

test('a server without a hub has no connections, and a message to all clients has no effect', async () => {
  const { clients, connections } = create()
  await clients.all.send('Heard', ['text'])
  await expect(clients.invoke('id', 'Give', [])).rejects.toThrow("Connection 'id' does not exist.")
  expect([...connections]).toEqual([])
})

test('a second hub for the same server is rejected', () => {
  const server = create()
  server.serve(createTestHub(server))
  expect(() => server.serve(createTestHub(server))).toThrow('This hub server already has a hub.')
})

test('the callbacks of a hub can send to its clients and put them into groups', async () => {
  const clients = new Clients()
  const seen: HubContext[] = []
  const hub = hubOf(
    {},
    {
      async onConnected({ id }, context) {
        context.groups.add(id, 'all')
        await context.clients.group('all').send('Welcome', [])
        seen.push(context)
      },
      onDisconnected: (_connection, _error, context) => void seen.push(context),
    },
  )
  const engine = new HubEngine({ hub, clients, clock: createTestClock(), log: silentLog })
  const client = new WireClient(engine, {})
  client.send('{"protocol":"json","version":1}\x1e')
  expect(await client.answers()).toEqual(['{}', '{"type":1,"target":"Welcome","arguments":[]}'])
  client.leave()
  await settle()
  expect([seen.length, seen[0]]).toEqual([2, seen[1]])
})
