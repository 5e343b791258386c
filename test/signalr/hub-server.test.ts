import { expect, test } from 'vitest'
import { systemClock } from '../../server/clock.ts'
import { createHubServer } from '../../server/signalr/hub-server.ts'
import { createTestHub, silentLog } from '../support/test-hub.ts'

const create = () => createHubServer({ clock: systemClock, log: silentLog })

test('before a server has its hub, nobody is connected and a message to everybody reaches nobody', async () => {
  const { clients, connections } = create()
  await clients.all.send('Heard', ['text'])
  await expect(clients.invoke('id', 'Give', [])).rejects.toThrow("Connection 'id' does not exist.")
  expect([...connections]).toEqual([])
})

test('a second hub for the same server is refused', () => {
  const server = create()
  server.serve(createTestHub(server))
  expect(() => server.serve(createTestHub(server))).toThrow('This hub server serves a hub already.')
})

test('a server without a hub can be closed', async () => {
  await create().close()
})
