import { expect, test } from 'vitest'
import { systemClock as clock } from '../../agent/base/clock.ts'
import { FileMessages } from '../../agent/capabilities/files/messages.ts'
import { enroll } from '../support/agent.ts'
import { connectViewer } from '../support/hub-client.ts'
import { createTestLog } from '../support/log.ts'
import { account, useTestServer } from '../support/server.ts'

const json = { 'content-type': 'application/json' }
const poison = '"__proto__":{"isAdmin":true,"pageSize":5},"constructor":{"prototype":{"isAdmin":true}}'

const isClean = () => ({} as Record<string, unknown>)['isAdmin'] === undefined

test('names such as __proto__ in a body, a query or a hub call have no effect', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const missing = await owner.fetch('/api/v1/devices/search', { method: 'POST', headers: json, body: `{${poison}}` })
  expect([missing.status, isClean()]).toEqual([400, true])
  const search = await owner.fetch('/api/v1/devices/search?__proto__[isAdmin]=1&constructor=1', {
    method: 'POST',
    headers: json,
    body: `{${poison},"pageSize":1}`,
  })
  expect([search.status, isClean()]).toEqual([200, true])
  const viewer = await connectViewer(owner)
  const argument = JSON.parse(`{${poison},"deviceIds":[]}`) as { deviceIds: string[] }
  expect((await viewer.SubscribeToDeviceHeartbeats2(argument)).isSuccess).toBe(true)
  expect(isClean()).toBe(true)
})

test('members of a body beyond its schema cannot grant rights', async () => {
  const server = await useTestServer()
  const response = await server.visitor().fetch('/api/appliance/v1/registration', {
    method: 'POST',
    headers: json,
    body: JSON.stringify({
      ...account,
      id: 'mine',
      tenantId: 'mine',
      createdAt: 0,
      passwordHash: 'x',
      emailConfirmed: true,
    }),
  })
  const user = (await response.json()) as Record<string, unknown>
  expect(user['id']).toMatch(/^[0-9a-f-]{36}$/)
  expect(user['emailConfirmed']).toBe(false)

  const owner = await server.signIn()
  const agent = await enroll(owner)
  const { UpdateDeviceSigned } = await agent.open(server.url)
  const dto = { ...agent.report(), alias: 'mine', publicIpV4: '1.2.3.4', isOnline: false }
  const update = agent.signed(agent.report())
  // The signature does not cover members that an agent may not set.
  expect(await UpdateDeviceSigned({ ...update, dto })).toMatchObject({ isSuccess: false })
  const { keySecret, id: installerKeyId } = await owner.installerKeys.create({
    body: { tenantId: owner.tenantId, keyType: 'Persistent' },
  })
  const registered = await owner.fetch('/api/agent/devices', {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ device: dto, installerKeyId, installerKeySecret: keySecret }),
  })
  expect(await registered.json()).toMatchObject({ alias: null, publicIpV4: '127.0.0.1' })
})

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
  'a message of a viewer of the type %s calls nothing on a device',
  (dtoType) => {
    const messages = new FileMessages({ clock, log: createTestLog(), parts: {} as never, server: () => ({}) as never })
    expect(messages.receive({ dtoType, payload: 'e30=', sendTimestamp: 0 })).toBe(undefined)
  },
)
