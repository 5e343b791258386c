import { describe, expect, test } from 'vitest'
import type { CreateInstallerKeyRequestDto } from '../../../shared/api/installer-keys.ts'
import { installerKey, TestAgent } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { account, openToAll, serverForFile, useTestServer, type Member } from '../../support/server.ts'

const hour = 60 * 60 * 1000
const day = 24 * hour
const unknownId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'

const clock = manualClock()
const server = serverForFile({ clock, settings: openToAll })

const create = (owner: Member, key: Partial<CreateInstallerKeyRequestDto>) =>
  owner.installerKeys.create({ body: { tenantId: owner.tenantId, keyType: 'Persistent', ...key } })

const listIds = async (owner: Member) =>
  (await owner.installerKeys.list({ tenantId: owner.tenantId })).items.map(({ id }) => id)

/** Whether a key registers a new device. */
const opens = async (owner: Member, key: { id: string; keySecret: string }) =>
  new TestAgent(owner.tenantId).register(owner, key).then(
    () => true,
    () => false,
  )

describe('creating', () => {
  test('answers the key with its secret, once', async () => {
    const clock = manualClock(Date.UTC(2026, 0, 2))
    const server = await useTestServer({ clock })
    const owner = await server.owner()
    const key = await create(owner, { keyType: 'UsageBased', allowedUses: 3, friendlyName: '  Room 7 ' })
    expect(key).toEqual({
      id: expect.any(String),
      creatorId: owner.user.id,
      keyType: 'UsageBased',
      keySecret: expect.stringMatching(/^[\w-]{86}$/),
      createdAt: '2026-01-02T00:00:00.000Z',
      allowedUses: 3,
      expiration: '2026-01-03T00:00:00.000Z',
      friendlyName: 'Room 7',
    })
    const { keySecret, ...rest } = key
    const { items } = await owner.installerKeys.list({ tenantId: owner.tenantId })
    expect(items).toEqual([{ ...rest, creatorName: account.email, usageCount: 0 }])
    await server.whileStopped(async (database) => {
      expect(JSON.stringify(await database.all('SELECT * FROM installer_keys'))).not.toContain(keySecret)
    })
  })

  test.each([
    [{ keyType: 'Unknown' }, 'keyType'],
    [{ keyType: 'Other' }, 'keyType'],
    [{ keyType: undefined }, 'keyType'],
    [{ keyType: 'UsageBased' }, 'allowedUses'],
    [{ keyType: 'UsageBased', allowedUses: 0 }, 'allowedUses'],
    [{ keyType: 'UsageBased', allowedUses: 1.5 }, 'allowedUses'],
    [{ keyType: 'TimeBased', expiration: 'tomorrow' }, 'expiration'],
    [{ keyType: 'TimeBased', expiration: '9999-12-31T23:59:59-10:00' }, 'expiration'],
    [{ friendlyName: ' ' }, 'friendlyName'],
    [{ friendlyName: 'x'.repeat(101) }, 'friendlyName'],
  ])('%j is refused', async (body, field) => {
    const owner = await server.newcomer()
    const refused = create(owner, body as Partial<CreateInstallerKeyRequestDto>)
    await expect(refused).rejects.toMatchObject({ status: 400, problem: { errors: { [field]: [expect.any(String)] } } })
  })

  test.each([
    ['usagebased', 'UsageBased'],
    [2, 'TimeBased'],
    ['3', 'Persistent'],
  ])('keyType %j reads as %s', async (given, keyType) => {
    const owner = await server.newcomer()
    const body = { tenantId: owner.tenantId, keyType: given, allowedUses: '1', expiration: '2030-01-01T00:00:00+02:00' }
    const response = await owner.fetch('/api/v1/installer-keys', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect([response.status, await response.json()]).toMatchObject([200, { keyType }])
  })
})

describe('a key works, and is listed,', () => {
  test('without limit when it is persistent', async () => {
    const owner = await server.newcomer()
    const key = await create(owner, { expiration: '2020-01-01T00:00:00Z' })
    expect(key.expiration).toBeNull()
    clock.advance(day - hour)
    expect([await opens(owner, key), await listIds(owner)]).toEqual([true, [key.id]])
  })

  test('until its expiration when it is time-based', async () => {
    const owner = await server.newcomer()
    const expiration = new Date(clock.now() + hour).toISOString()
    const key = await create(owner, { keyType: 'TimeBased', expiration })
    expect([await opens(owner, key), await listIds(owner)]).toEqual([true, [key.id]])
    clock.advance(hour + 1)
    expect([await opens(owner, key), await listIds(owner)]).toEqual([false, []])
  })

  test.each([undefined, null, '2020-01-01T00:00:00Z'])(
    'never when it is time-based with the end %j',
    async (expiration) => {
      const owner = await server.newcomer()
      const key = await create(owner, { keyType: 'TimeBased', expiration })
      expect([await opens(owner, key), await listIds(owner)]).toEqual([false, []])
    },
  )

  test('for its number of uses within a day when it is usage-based', async () => {
    const owner = await server.newcomer()
    const [spent, late] = [
      await create(owner, { keyType: 'UsageBased', allowedUses: 2, expiration: '2099-01-01T00:00:00Z' }),
      await create(owner, { keyType: 'UsageBased', allowedUses: 2 }),
    ]
    expect([await opens(owner, spent), await opens(owner, spent), await opens(owner, spent)]).toEqual([
      true,
      true,
      false,
    ])
    expect(await listIds(owner)).toEqual([late.id])
    clock.advance(day - 1)
    // The browser's session has expired by now.
    const again = await server.signIn({ email: owner.user.email })
    expect(await opens(again, late)).toBe(true)
    clock.advance(2)
    expect([await opens(again, late), await listIds(again)]).toEqual([false, []])
  })

  test('once, when many agents try its only use at the same time', async () => {
    const owner = await server.newcomer()
    const key = await create(owner, { keyType: 'UsageBased', allowedUses: 1 })
    const opened = await Promise.all(Array.from({ length: 8 }, () => opens(owner, key)))
    expect(opened.filter(Boolean)).toHaveLength(1)
    const { items } = await owner.installerKeys.usages({ tenantId: owner.tenantId, params: { keyId: key.id } })
    expect(items).toHaveLength(1)
  })
})

test('usages list device and address, newest first, as far back as configured', async () => {
  const clock = manualClock()
  const server = await useTestServer({ clock, settings: { AppOptions__AgentInstallerKeyHistoryDays: '1' } })
  const owner = await server.owner()
  const key = await create(owner, {})
  const agents = [new TestAgent(owner.tenantId), new TestAgent(owner.tenantId)]
  for (const agent of agents) {
    await agent.register(owner, key)
    clock.advance(20 * hour)
  }
  const { items } = await owner.installerKeys.usages({ tenantId: owner.tenantId, params: { keyId: key.id } })
  expect(items).toEqual([
    { id: expect.any(String), deviceId: agents[1]!.id, timestamp: expect.any(String), remoteIpAddress: '127.0.0.1' },
  ])
})

test('a key is renamed with an empty 204', async () => {
  const owner = await server.newcomer()
  const { id: keyId } = await create(owner, {})
  const response = await owner.fetch(`/api/v1/installer-keys/${keyId}?TENANTID=${owner.tenantId}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: '{"FriendlyName":"Cellar"}',
  })
  expect([response.status, await response.text()]).toEqual([204, ''])
  expect((await owner.installerKeys.list({ tenantId: owner.tenantId })).items[0]?.friendlyName).toBe('Cellar')
})

test('a deleted key of any type stops working', async () => {
  const owner = await server.newcomer()
  const key = await installerKey(owner)
  const input = { tenantId: owner.tenantId, params: { keyId: key.id } }
  await owner.installerKeys.delete(input)
  expect([await opens(owner, key), await listIds(owner)]).toEqual([false, []])
  await expect(owner.installerKeys.delete(input)).rejects.toMatchObject({ status: 404 })
})

test.each([
  ['unknown', unknownId],
  ['of another tenant', undefined],
])('a key that is %s is 404', async (_, id) => {
  const [owner, stranger] = [await server.newcomer(), await server.newcomer()]
  const keyId = id ?? (await installerKey(stranger)).id
  const input = { tenantId: owner.tenantId, params: { keyId } }
  const { installerKeys } = owner
  const calls = [
    () => installerKeys.usages(input),
    () => installerKeys.delete(input),
    () => installerKeys.rename({ ...input, body: { friendlyName: 'mine' } }),
  ]
  for (const call of calls) {
    await expect(call()).rejects.toMatchObject({
      status: 404,
      problem: { detail: 'Installer key not found.' },
    })
  }
})
