import { describe, expect, test } from 'vitest'
import { installerKey, TestAgent } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { useTestServer, type Member } from '../../support/server.ts'

const zeroId = '00000000-0000-0000-0000-000000000000'
const unknownId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const keyProblem = { status: 400, detail: 'The installer key is not valid.' }

interface Registration {
  device: object
  installerKeyId: string
  installerKeySecret: string
  publicKey?: string | null
  tagIds?: string[]
  customerId?: string
}

async function post(owner: Member, body: Registration, path = '/api/agent/devices') {
  const response = await owner.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, ...((await response.json()) as object) }
}

async function prepared(settings: Record<string, string> = {}) {
  const server = await useTestServer({ settings })
  const owner = await server.owner()
  const key = await installerKey(owner)
  const agent = new TestAgent(owner.tenantId)
  const body = {
    device: agent.report(),
    installerKeyId: key.id,
    installerKeySecret: key.keySecret,
    publicKey: agent.publicKey,
  }
  return { server, owner, key, agent, body }
}

test.each(['/api/agent/devices', '/api/devices'])('%s answers the device, offline', async (path) => {
  const { owner, agent, body } = await prepared()
  const { status, ...device } = await post(owner, body, path)
  expect(status).toBe(200)
  const { id, tenantId, ...report } = agent.report()
  expect(device).toEqual({
    ...report,
    id,
    tenantId,
    alias: null,
    isOnline: false,
    connectionId: '',
    isOutdated: false,
    lastSeen: expect.any(String),
    publicIpV4: '127.0.0.1',
    publicIpV6: '',
    tagIds: [],
    customerId: null,
    customerName: null,
  })
  expect(await owner.devices.get({ params: { deviceId: id } })).toEqual(device)
})

describe('refusals, in the order of the contract', () => {
  test('each check hides those after it', async () => {
    const { owner, body } = await prepared()
    const everythingWrong = {
      device: { ...body.device, id: zeroId, tenantId: unknownId },
      installerKeyId: unknownId,
      installerKeySecret: 'wrong',
      publicKey: 'short',
      customerId: unknownId,
    }
    const mend: [Partial<Registration>, string][] = [
      [{}, 'device.id must be a non-empty GUID.'],
      [{ device: { ...body.device, tenantId: unknownId } }, 'publicKey must be the base64 of 32 bytes.'],
      [{ publicKey: body.publicKey }, keyProblem.detail],
      [{ installerKeyId: body.installerKeyId }, keyProblem.detail],
      [{ installerKeySecret: body.installerKeySecret }, 'The installer key belongs to another tenant.'],
      [{ device: body.device }, 'customerId names no customer of this tenant.'],
    ]
    let request: Registration = everythingWrong
    for (const [change, detail] of mend) {
      request = { ...request, ...change }
      expect(await post(owner, request)).toMatchObject({ status: 400, detail })
    }
    const { customerId: _, ...good } = request
    expect(await post(owner, good)).toMatchObject({ status: 200 })
  })

  test.each([undefined, zeroId, null])('a tenantId of %j takes the tenant of the key', async (tenantId) => {
    const { owner, body } = await prepared()
    const answer = await post(owner, { ...body, device: { ...body.device, tenantId } })
    expect(answer).toMatchObject({ status: 200, tenantId: owner.tenantId })
  })

  test.each(['', 'AAAA', `${'A'.repeat(43)}`, `${'A'.repeat(42)}==`, 'not base64!', 'A'.repeat(88)])(
    'the public key %j is none',
    async (publicKey) => {
      const { owner, body } = await prepared()
      expect(await post(owner, { ...body, publicKey })).toMatchObject({ status: 400 })
    },
  )

  test('nobody learns why a key does not work', async () => {
    const { owner, body, key } = await prepared()
    const spent = await owner.installerKeys.create({
      body: { tenantId: owner.tenantId, keyType: 'UsageBased', allowedUses: 1 },
    })
    const late = await owner.installerKeys.create({
      body: { tenantId: owner.tenantId, keyType: 'TimeBased', expiration: '2020-01-01T00:00:00Z' },
    })
    await new TestAgent(owner.tenantId).register(owner, spent)
    const attempts = [
      { installerKeyId: unknownId },
      { installerKeySecret: `${key.keySecret}x` },
      { installerKeyId: spent.id, installerKeySecret: spent.keySecret },
      { installerKeyId: late.id, installerKeySecret: late.keySecret },
    ]
    for (const attempt of attempts) {
      expect(await post(owner, { ...body, ...attempt })).toMatchObject(keyProblem)
    }
  })

  test('after twenty refusals in a minute an address has to wait; successes do not count', async () => {
    const clock = manualClock()
    const server = await useTestServer({ clock })
    const owner = await server.owner()
    const key = await installerKey(owner)
    const register = (keySecret: string) => new TestAgent(owner.tenantId).register(owner, { ...key, keySecret })
    for (let count = 0; count < 25; count++) {
      await register(key.keySecret)
    }
    for (let count = 0; count < 20; count++) {
      await expect(register('wrong')).rejects.toMatchObject({ status: 400 })
    }
    await expect(register(key.keySecret)).rejects.toMatchObject({ status: 429 })
    clock.advance(60_000)
    await register(key.keySecret)
  })
})

test('over-long strings are cut, by the limits of the contract', async () => {
  const { owner, body } = await prepared()
  const long = 'x'.repeat(1000)
  const names = ['name', 'agentVersion', 'osDescription', 'localIpV4', 'localIpV6', 'dnsHostName'] as const
  const device = { ...body.device, ...Object.fromEntries(names.map((name) => [name, long])) }
  const answer = (await post(owner, { ...body, device })) as unknown as Record<string, string>
  expect(names.map((name) => answer[name]!.length)).toEqual([100, 50, 300, 15, 39, 255])
})

test('two registrations of one new device at the same moment both succeed, and make one device', async () => {
  const { owner, key, agent } = await prepared()
  await Promise.all(Array.from({ length: 4 }, () => agent.register(owner, key)))
  expect(await owner.devices.summary({})).toHaveLength(1)
})

test('tags ask for the right to set them', async () => {
  const { server, owner, body } = await prepared()
  expect(await post(owner, { ...body, tagIds: [unknownId] })).toMatchObject({ status: 200, tagIds: [] })
  await server.whileStopped((database, models) =>
    database.write((transaction) =>
      models.PermissionAssignment.destroy({ where: { permissionName: 'device.tags.write' }, transaction }),
    ),
  )
  expect(await post(owner, { ...body, tagIds: [unknownId] })).toMatchObject({ status: 403 })
  expect(await post(owner, { ...body, tagIds: [] })).toMatchObject({ status: 200 })
})
