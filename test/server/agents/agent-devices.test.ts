import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ServiceAccountRow } from '../../../server/credentials/tables.ts'
import type { PermissionName } from '../../../shared/access.ts'
import { installerKey, TestAgent } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { buildAssignment } from '../../support/factories.ts'
import { openToAll, ownerForFile, serverForFile, useTestServer, type Member } from '../../support/server.ts'
import { changesOf } from '../../support/stored.ts'

const zeroId = '00000000-0000-0000-0000-000000000000'
const unknownId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const keyProblem = { status: 400, detail: 'The installer key is not valid.' }

interface Registration {
  device: object
  installerKeyId: string
  installerKeySecret: string
  publicKey?: string | null
  tagIds?: string[] | null | undefined
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

const server = serverForFile({ settings: openToAll })
const sharedOwner = ownerForFile(server)

/** A key and an agent of an owner. */
async function prepared(owner = sharedOwner) {
  const key = await installerKey(owner)
  const agent = new TestAgent(owner.tenantId)
  const body = {
    device: agent.report(),
    installerKeyId: key.id,
    installerKeySecret: key.keySecret,
    publicKey: agent.publicKey,
  }
  return { owner, key, agent, body }
}

test('requests that come at once register each its device, one of them repeatedly, and no more than a key has uses', async () => {
  const { owner, body } = await prepared()
  const another = () => ({ ...body, device: { ...body.device, id: randomUUID() } })
  const send = (all: Registration[]) => Promise.all(all.map(async (one) => (await post(owner, one)).status))
  const devices = [another(), another(), another(), another()]
  const last = devices.at(-1)!
  expect(await send([...devices, last, last, { ...last, publicKey: 'short' }])).toEqual([...Array(6).fill(200), 400])
  const limited = { tenantId: owner.tenantId, keyType: 'UsageBased', allowedUses: 2 } as const
  const { id: installerKeyId, keySecret: installerKeySecret } = await owner.installerKeys.create({ body: limited })
  const few = [another(), another(), another()].map((one) => ({ ...one, installerKeyId, installerKeySecret }))
  expect((await send(few)).toSorted((a, b) => a - b)).toEqual([200, 200, 400])
  expect(await (await owner.fetch('/api/v1/devices')).json()).toHaveLength(6)
})

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
    isOutdated: true,
    lastSeen: expect.any(String),
    publicIpV4: '127.0.0.1',
    publicIpV6: '',
    tagIds: [],
    customerId: null,
    customerName: null,
  })
  expect(await owner.devices.get({ params: { deviceId: id } })).toEqual(device)
})

describe('checking an installer key before anything is downloaded', () => {
  const check = (owner: Member, body: object) =>
    owner.fetch('/api/appliance/v1/installer-keys/check', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  test('does not count as a use, and answers as a registration would', async () => {
    const { owner } = await prepared()
    const { id, keySecret } = await owner.installerKeys.create({
      body: { tenantId: owner.tenantId, keyType: 'UsageBased', allowedUses: 1 },
    })
    const good = { installerKeyId: id, installerKeySecret: keySecret }
    expect((await check(owner, { ...good, tenantId: owner.tenantId })).status).toBe(204)
    expect((await check(owner, { ...good, tenantId: zeroId })).status).toBe(204)
    expect((await check(owner, good)).status).toBe(204)
    expect(await (await check(owner, { ...good, tenantId: unknownId })).json()).toMatchObject({
      status: 400,
      detail: 'The installer key belongs to another tenant.',
    })
    const agent = new TestAgent(owner.tenantId)
    await agent.register(owner, { id, keySecret })
    expect(await (await check(owner, good)).json()).toMatchObject(keyProblem)
  })

  test('answers unknown and wrong keys alike, and throttles guesses but no valid key', async () => {
    const other = await useTestServer()
    const { owner, key } = await prepared(await other.owner())
    const good = { installerKeyId: key.id, installerKeySecret: key.keySecret }
    const guesses = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? { ...good, installerKeySecret: 'wrong' } : { ...good, installerKeyId: unknownId },
    )
    for (const guess of guesses) {
      expect(await (await check(owner, guess)).json()).toMatchObject(keyProblem)
    }
    const throttled = await check(owner, guesses[0]!)
    expect([throttled.status, Number(throttled.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect((await check(owner, good)).status).toBe(204)
  })
})

describe('rejections, in their published order', () => {
  test('are reported one at a time: the first failing check answers', async () => {
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

  test.each([undefined, zeroId, null])('a tenantId of %j selects the tenant of the key', async (tenantId) => {
    const { owner, body } = await prepared()
    const answer = await post(owner, { ...body, device: { ...body.device, tenantId } })
    expect(answer).toMatchObject({ status: 200, tenantId: owner.tenantId })
  })

  test('a blank public key counts as none', async () => {
    const { owner, body } = await prepared()
    expect(await post(owner, { ...body, publicKey: '  ' })).toMatchObject({ status: 200 })
  })

  test.each(['AAAA', `${'A'.repeat(43)}`, `${'A'.repeat(42)}==`, 'not base64!', 'A'.repeat(88)])(
    'the public key %j is rejected',
    async (publicKey) => {
      const { owner, body } = await prepared()
      expect(await post(owner, { ...body, publicKey })).toMatchObject({ status: 400 })
    },
  )

  test('an invalid installer key is rejected without the reason', async () => {
    const clock = manualClock()
    const other = await useTestServer({ clock })
    const { owner, body, key } = await prepared(await other.owner())
    const spent = await owner.installerKeys.create({
      body: { tenantId: owner.tenantId, keyType: 'UsageBased', allowedUses: 1 },
    })
    const late = await owner.installerKeys.create({
      body: {
        tenantId: owner.tenantId,
        keyType: 'TimeBased',
        expiration: new Date(clock.now() + 60_000).toISOString(),
      },
    })
    clock.advance(60_001)
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
})

test('strings that are too long are truncated, not rejected', async () => {
  const { owner, body } = await prepared()
  const long = 'x'.repeat(1000)
  const names = ['name', 'agentVersion', 'osDescription', 'localIpV4', 'localIpV6', 'dnsHostName'] as const
  const device = { ...body.device, ...Object.fromEntries(names.map((name) => [name, long])) }
  const answer = (await post(owner, { ...body, device })) as unknown as Record<string, string>
  expect(names.map((name) => answer[name]!.length)).toEqual([100, 50, 300, 15, 39, 255])
})

test('a device that registers again with its key has the values of the new report', async () => {
  const { owner, key, agent } = await prepared()
  const params = { deviceId: agent.id }
  await agent.register(owner, key)
  const changes = { name: 'renamed', agentVersion: '9.9.9.9' }
  expect(await agent.register(owner, key, changes)).toMatchObject(changes)
  expect(await owner.devices.get({ params })).toMatchObject(changes)
})

test('two simultaneous registrations of one new device both succeed and create one device', async () => {
  const { owner, key, agent } = await prepared(await server.newcomer())
  await Promise.all(Array.from({ length: 4 }, () => agent.register(owner, key)))
  expect(await owner.devices.summary({})).toHaveLength(1)
})

describe('tags', () => {
  async function withTags() {
    const all = await prepared(await server.newcomer())
    const { tenantId } = all.owner
    const [red, blue] = [
      await all.owner.tags.create({ tenantId, body: { name: 'red' } }),
      await all.owner.tags.create({ tenantId, body: { name: 'blue' } }),
    ]
    const takeAway = () =>
      server.write((models, transaction) =>
        models.PermissionAssignment.destroy({
          where: { permissionName: 'device.tags.write', owningTenantId: tenantId },
          transaction,
        }),
      )
    return { ...all, red: red.id, blue: blue.id, takeAway }
  }

  test('are replaced by the named tags, and unchanged without a list', async () => {
    const { owner, body, agent, red, blue } = await withTags()
    const register = async (tagIds?: string[] | null) =>
      ((await post(owner, { ...body, tagIds })) as unknown as { tagIds: string[] }).tagIds.toSorted()
    expect(await register([red, blue, red])).toEqual([red, blue].toSorted())
    expect(await register()).toEqual([red, blue].toSorted())
    expect(await register(null)).toEqual([red, blue].toSorted())
    expect(await register([blue])).toEqual([blue])
    await server.restart()
    expect((await owner.devices.get({ params: { deviceId: agent.id } })).tagIds).toEqual([blue])
    expect(await register([])).toEqual([])
  })

  test('unknown in the tenant are skipped', async () => {
    const { owner, body, red } = await withTags()
    const stranger = await server.newcomer()
    const foreign = await stranger.tags.create({ tenantId: stranger.tenantId, body: { name: 'foreign' } })
    const tagIds = [unknownId, foreign.id, red]
    expect(await post(owner, { ...body, tagIds })).toMatchObject({ status: 200, tagIds: [red] })
    const many = { ...body, tagIds: Array.from({ length: 1001 }, () => red) }
    expect(await post(owner, many)).toMatchObject({ status: 400 })
  })

  test('need the right to set tags, also for removing one; a list that changes nothing does not', async () => {
    const { owner, body, key, red, takeAway } = await withTags()
    expect(await post(owner, { ...body, tagIds: [red] })).toMatchObject({ status: 200, tagIds: [red] })
    await takeAway()
    const usages = async () =>
      (await owner.installerKeys.usages({ tenantId: owner.tenantId, params: { keyId: key.id } })).items
    expect(await post(owner, { ...body, tagIds: [unknownId] })).toMatchObject({ status: 403 })
    expect(await post(owner, { ...body, tagIds: [] })).toMatchObject({ status: 403 })
    expect(await usages()).toHaveLength(1)
    expect(await post(owner, body)).toMatchObject({ status: 200, tagIds: [red] })
    const another = { ...body, device: new TestAgent(owner.tenantId).report() }
    expect(await post(owner, { ...another, tagIds: [red] })).toMatchObject({ status: 403 })
    expect(await post(owner, { ...another, tagIds: [] })).toMatchObject({ status: 200, tagIds: [] })
    expect(server.log.lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  test('may be set by a right on the customer or on a group of the device', async () => {
    const { owner, body, agent, red, takeAway } = await withTags()
    const { tenantId } = owner
    const customer = await owner.customers.create({ tenantId, body: { name: 'Acme' } })
    const group = await owner.deviceGroups.create({ tenantId, body: { name: 'Kiosks' } })
    await takeAway()
    const allow = (scopeKind: 'CustomerTenant' | 'DeviceGroup', scopeId: string) =>
      server.write((models, transaction) =>
        models.PermissionAssignment.create(
          buildAssignment({
            principalId: owner.user.id,
            permissionName: 'device.tags.write',
            scopeKind,
            scopeId,
          }),
          { transaction },
        ),
      )
    await allow('CustomerTenant', customer.id)
    expect(await post(owner, { ...body, tagIds: [red] })).toMatchObject({ status: 403 })
    const withCustomer = { ...body, tagIds: [red], customerId: customer.id }
    expect(await post(owner, withCustomer)).toMatchObject({ status: 200, tagIds: [red], customerName: 'Acme' })
    const unassign = { removeDeviceIds: [agent.id] }
    await owner.customers.assignDevices({ tenantId, params: { customerId: customer.id }, body: unassign })
    expect(await post(owner, { ...body, tagIds: [] })).toMatchObject({ status: 403 })
    await allow('DeviceGroup', group.id)
    await owner.deviceGroups.addMembers({
      tenantId,
      params: { deviceGroupId: group.id },
      body: { deviceIds: [agent.id] },
    })
    expect(await post(owner, { ...body, tagIds: [] })).toMatchObject({ status: 200, tagIds: [] })
  })
})

describe('the customer of a registration', () => {
  test('is set on the device, logged with the creator of the key as actor, and unchanged when none is named', async () => {
    const { owner, agent, body } = await prepared()
    const { tenantId } = owner
    const customer = await owner.customers.create({ tenantId, body: { name: 'Acme' } })
    const shown = { status: 200, customerId: customer.id, customerName: 'Acme' }
    expect(await post(owner, { ...body, customerId: customer.id })).toMatchObject(shown)
    expect(await post(owner, body)).toMatchObject(shown)
    expect(await post(owner, { ...body, customerId: customer.id })).toMatchObject(shown)
    const changes = await changesOf(server, customer.id)
    expect(changes.filter(({ action }) => action === 'customer-devices-assigned')).toEqual([
      {
        action: 'customer-devices-assigned',
        actor: owner.user.id,
        before: [{ deviceId: agent.id, customerId: null }],
        after: [{ deviceId: agent.id, customerId: customer.id }],
      },
    ])
    await server.restart()
    expect(await owner.devices.get({ params: { deviceId: agent.id } })).toMatchObject({ customerId: customer.id })
  })

  test('of another tenant is refused without using up the key', async () => {
    const { owner, body, key } = await prepared(await server.newcomer())
    const stranger = await server.newcomer()
    const { id: customerId } = await stranger.customers.create({
      tenantId: stranger.tenantId,
      body: { name: 'Foreign' },
    })
    const problem = { status: 400, detail: 'customerId names no customer of this tenant.' }
    expect(await post(owner, { ...body, customerId })).toMatchObject(problem)
    const { items } = await owner.installerKeys.usages({ tenantId: owner.tenantId, params: { keyId: key.id } })
    expect(items).toEqual([])
    expect(await owner.devices.list({})).toEqual([])
  })
})

describe('a key of a service account', () => {
  async function withAccount(changes: Partial<ServiceAccountRow>, grants: PermissionName[] = []) {
    const all = await prepared()
    const { tenantId } = all.owner
    const account: ServiceAccountRow = {
      id: randomUUID(),
      tenantId,
      name: randomUUID(),
      description: null,
      isEnabled: true,
      accessMode: 'Restricted',
      createdAt: 0,
      ...changes,
    }
    const rows = grants.map((permissionName) =>
      buildAssignment({
        principalKind: 'ServiceAccount',
        principalId: account.id,
        permissionName,
        scopeKind: 'Tenant',
        scopeId: tenantId,
      }),
    )
    await post(all.owner, all.body)
    await server.write(async (models, transaction) => {
      await models.ServiceAccount.create(account, { transaction })
      await models.PermissionAssignment.bulkCreate(rows, { transaction })
      const creator = { creatorId: account.id, creatorKind: 'ServiceAccount' } as const
      await models.InstallerKey.update(creator, { where: { id: all.key.id }, transaction })
    })
    return all
  }

  test.each<[string, Partial<ServiceAccountRow>, PermissionName[], number]>([
    ['with the right', {}, ['agent.install'], 200],
    ['without the right', {}, [], 403],
    ['that is switched off', { isEnabled: false }, ['agent.install'], 400],
    ['of the server with the right in the tenant', { tenantId: null }, ['agent.install'], 200],
    ['of the server without the right', { tenantId: null }, [], 403],
    ['of the server, unrestricted', { tenantId: null, accessMode: 'Unrestricted' }, [], 200],
    ['of the server, switched off', { tenantId: null, accessMode: 'Unrestricted', isEnabled: false }, [], 403],
  ])('%s', async (_, changes, grants, status) => {
    const { owner, body } = await withAccount(changes, grants)
    expect(await post(owner, body)).toMatchObject({ status })
  })
})
