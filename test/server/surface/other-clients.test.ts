/** Requests as sent by the tests and programs of other implementations. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { installerKey, TestAgent } from '../../support/agent.ts'
import { ownerForFile, serverForFile } from '../../support/server.ts'

let agent: TestAgent

const server = serverForFile()
const owner = ownerForFile(server)
beforeAll(async () => {
  agent = new TestAgent(owner.tenantId)
  await agent.register(owner, await installerKey(owner), { name: 'alpha' })
})

const send = (method: string, path: string, body: object) =>
  owner.fetch(path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

async function searched(path: string, body: object) {
  const response = await send('POST', path, body)
  const text = await response.text()
  expect(response.status, text).toBe(200)
  return JSON.parse(text) as { items: { id: string }[]; totalItems: number }
}

describe.each(['/api/v1/devices/search', '/api/devices/search'])('POST %s', (path) => {
  test.each([null, '', ' ', undefined])(
    'ignores a filter and a sort whose operator or property is %j',
    async (blank) => {
      const answer = await searched(path, {
        pageSize: 10,
        filterDefinitions: [
          { propertyName: blank, operator: 'equals', value: 'beta' },
          { propertyName: 'Name', operator: blank, value: 'beta' },
          { propertyName: 'CpuUtilization', operator: blank, value: '2' },
        ],
        sortDefinitions: [{ propertyName: blank, descending: null, sortOrder: null }],
      })
      expect(answer.items.map(({ id }) => id)).toEqual([agent.id])
    },
  )

  test('ignores null among the filters and sorts', async () => {
    const answer = await searched(path, {
      pageSize: 10,
      filterDefinitions: [null, { propertyName: 'Name', operator: 'equals', value: 'alpha' }],
      sortDefinitions: [null, { propertyName: 'Name' }],
    })
    expect(answer.items.map(({ id }) => id)).toEqual([agent.id])
  })

  test.each([
    ['filterDefinitions', 50],
    ['sortDefinitions', 8],
  ])('counts null among %s: more than %i are rejected', async (name, most) => {
    const search = (count: number) => send('POST', path, { pageSize: 1, [name]: Array(count).fill(null) })
    expect([(await search(most)).status, (await search(most + 1)).status]).toEqual([200, 400])
  })

  test('rejects a property name that is too long', async () => {
    const filterDefinitions = [{ propertyName: 'x'.repeat(101), operator: 'equals' }]
    expect((await send('POST', path, { pageSize: 1, filterDefinitions })).status).toBe(400)
  })
})

describe('a search without a page size', () => {
  test.each([{}, { pageSize: 0 }, { pageSize: null }])('of the internal interface counts only: %j', async (body) => {
    expect(await searched('/api/devices/search', body)).toMatchObject({ items: [], totalItems: 1 })
  })

  test.each([{}, { pageSize: 0 }, { pageSize: null }])('of the V1 interface is rejected: %j', async (body) => {
    expect((await send('POST', '/api/v1/devices/search', body)).status).toBe(400)
  })
})

describe('a registration', () => {
  test.each(['', '  '])('with the public key %j is one without a key', async (publicKey) => {
    const keyless = new TestAgent(owner.tenantId)
    await keyless.register(owner, await installerKey(owner), { publicKey })
    await keyless.connect(server.url)
    expect(await owner.devices.get({ params: { deviceId: keyless.id } })).toMatchObject({ isOnline: true })
  })

  test('of a device that is connected ends its connection and answers that it is offline', async () => {
    const { closed } = await agent.connect(server.url)
    const answer = await agent.register(owner, await installerKey(owner))
    expect(answer).toMatchObject({ id: agent.id, isOnline: false, connectionId: '' })
    await closed
  })
})

test('a link to a device carries its id and the token, and nothing else', async () => {
  const { tenantId } = owner
  const body = { tenantId, deviceId: agent.id, userCorrelationId: 'crm', sessionCorrelationId: 'call 7' }
  const { deviceAccessUrl, token } = await owner.logonTokens.createForExternalUser({ body })
  const { pathname, searchParams } = new URL(deviceAccessUrl)
  expect(pathname).toBe('/device-access')
  expect([...searchParams]).toEqual([
    ['deviceId', agent.id],
    ['logonToken', token],
  ])
})

const typed = [
  ['user-preferences', { manualQuality: 33, userDisplayName: 'Ada' }, { manualQuality: 44, viewMode: 99 }],
  ['user-preferences', { manualQuality: 33, userDisplayName: 'Ada' }, { manualQuality: 0, userDisplayName: '<b>' }],
  [
    'tenant-settings',
    { instanceId: 'one', appendInstanceId: true },
    { instanceId: 'default', appendInstanceId: false },
  ],
] as const

test.each(typed)('PUT %s with a bad member changes nothing', async (group, good, bad) => {
  for (const path of [`/api/v1/${group}?tenantId=${owner.tenantId}`, `/api/${group}`]) {
    expect((await send('PUT', path, good)).status).toBe(200)
    expect((await send('PUT', path, bad)).status).toBe(400)
    expect(await (await owner.fetch(path)).json()).toMatchObject(good)
  }
})

test('a display name may hold combining marks', async () => {
  const path = `/api/v1/user-preferences?tenantId=${owner.tenantId}`
  expect((await send('POST', path, { name: 'user-display-name', value: 'हिन्दी' })).status).toBe(200)
  expect(await (await owner.fetch(path)).json()).toMatchObject({ userDisplayName: 'हिन्दी' })
})

test('stored values that no longer parse read as the default', async () => {
  const stored = { 'manual-quality': 'high', 'view-mode': '99', 'capture-cursor': 'yes', 'user-display-name': '<b>' }
  const rows = Object.entries(stored).map(([name, value]) => ({ id: randomUUID(), userId: owner.user.id, name, value }))
  await server.write(async (models, transaction) => {
    await models.UserPreference.destroy({ where: { userId: owner.user.id }, transaction })
    await models.UserPreference.bulkCreate(rows, { transaction })
  })
  const path = `/api/v1/user-preferences?tenantId=${owner.tenantId}`
  const defaults = { manualQuality: 75, viewMode: 0, captureCursor: false, userDisplayName: '' }
  expect(await (await owner.fetch(path)).json()).toMatchObject(defaults)
})
