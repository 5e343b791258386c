import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../support/clock.ts'
import { addServerAccount } from '../../support/people.ts'
import { integrator, startTestServer, useTestServer, type Member, type TestServer } from '../../support/server.ts'
import { stored } from '../../support/stored.ts'

const unknownHex = '33221100554477668899AABBCCDDEEFF'
const otherSecret = 'x'.repeat(86)
const path = '/api/v1/server-service-accounts'

describe('a key', () => {
  const clock = manualClock()
  let server: TestServer
  let owner: Member
  let account: Awaited<ReturnType<typeof addServerAccount>>
  beforeAll(async () => {
    // Without the throttle: these tests fail more often than it allows.
    const settings = { AppOptions__ServiceAccountAuthFailureLimit: '0' }
    server = await startTestServer({ clock, settings })
    owner = await server.owner()
    account = await addServerAccount(owner)
  })
  afterAll(() => server.stop())

  const statusFor = async (headers: Record<string, string>) => (await fetch(server.url + path, { headers })).status

  test('has the rights of its account, in any letter case of its id', async () => {
    const [hex = '', secret = ''] = account.key.split(':')
    expect(account.key).toMatch(/^[\dA-F]{32}:[\w-]{86}$/)
    expect(await statusFor({ 'x-api-key': account.key })).toBe(200)
    expect(await statusFor({ 'x-api-key': `${hex.toLowerCase()}:${secret}` })).toBe(200)
    expect(await statusFor({ 'X-API-KEY': account.key })).toBe(200)
  })

  test.each([
    ['no colon', 'abc'],
    ['a hyphenated id', '00112233-4455-6677-8899-aabbccddeeff:secret'],
    ['too short an id', `${unknownHex.slice(1)}:secret`],
    ['no hex', `${unknownHex.slice(1)}G:secret`],
    ['the zero id', `${'0'.repeat(32)}:secret`],
    ['no secret', `${unknownHex}:`],
  ])('with %s is malformed: 400', async (_, key) => {
    const response = await fetch(server.url + path, { headers: { 'x-api-key': key } })
    expect(response.status).toBe(400)
    expect(response.headers.get('content-type')).toContain('application/problem+json')
    expect(await response.json()).toMatchObject({ status: 400, detail: expect.stringContaining('x-api-key') })
  })

  test('with a wrong secret or an unknown id is 401, with the same response', async () => {
    const [hex = '', secret = ''] = account.key.split(':')
    const bodies = new Set<string>()
    for (const key of [`${hex}:${otherSecret}`, `${hex}:${secret}x`, `${unknownHex}:${secret}`]) {
      const response = await fetch(server.url + path, { headers: { 'x-api-key': key } })
      expect([response.status, response.headers.get('retry-after')]).toEqual([401, null])
      bodies.add((await response.text()).replace(/"traceId":"[^"]*"/, ''))
    }
    expect(bodies.size).toBe(1)
  })

  test('is rejected with the secret of another key, also when both are cached', async () => {
    const other = await addServerAccount(owner)
    const [[hex], [, secret]] = [other.key.split(':'), account.key.split(':')]
    for (let round = 0; round < 2; round++) {
      expect(await statusFor({ 'x-api-key': other.key })).toBe(200)
      expect(await statusFor({ 'x-api-key': account.key })).toBe(200)
      expect(await statusFor({ 'x-api-key': `${hex}:${secret}` })).toBe(401)
    }
  })

  test('outside its header is ignored', async () => {
    expect(await statusFor({ authorization: `Bearer ${account.key}` })).toBe(401)
    expect(await statusFor({ 'x-personal-token': account.key })).toBe(401)
    expect((await fetch(`${server.url}${path}?x-api-key=${account.key}`)).status).toBe(401)
  })

  test('is tried after a personal access token and before a cookie', async () => {
    const { plainTextToken } = await owner.personalAccessTokens.create({
      tenantId: owner.tenantId,
      body: { name: 'script' },
    })
    const bad = `${unknownHex}:${otherSecret}`
    expect(await statusFor({ 'x-api-key': bad, 'x-personal-token': plainTextToken })).toBe(200)
    expect(await statusFor({ 'x-api-key': 'malformed', 'x-personal-token': plainTextToken })).toBe(200)
    expect(await statusFor({ 'x-api-key': account.key, 'x-personal-token': bad })).toBe(401)
    expect(await statusFor({ 'x-api-key': bad, cookie: owner.cookie! })).toBe(401)
    expect(await statusFor({ 'x-api-key': account.key, cookie: owner.cookie! })).toBe(200)
  })

  test('may write from any origin: no page of another site sends keys', async () => {
    const create = (headers: Record<string, string>) =>
      fetch(server.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': account.key, ...headers },
        body: JSON.stringify({ name: `made ${JSON.stringify(headers)}`, accessMode: 'Restricted' }),
      })
    expect((await create({})).status).toBe(201)
    expect((await create({ origin: 'https://evil.example' })).status).toBe(201)
  })

  test('shows its last use at once and stores it within a minute', async () => {
    const find = async () => {
      const { credentials } = await owner.serverServiceAccounts.get({ params: { serviceAccountId: account.id } })
      return credentials[0]?.lastUsedAt
    }
    const used = async () => {
      await account.serverServiceAccounts.list({})
      return new Date(clock.now()).toISOString()
    }
    const first = await used()
    expect(await find()).toBe(first)
    clock.advance(1_000)
    const second = await used()
    expect(await find()).toBe(second)
    clock.advance(60_000)
    const inDatabase = async () => {
      const sql = 'SELECT lastUsedAt FROM service_account_credentials WHERE id = ?'
      return (await stored<{ lastUsedAt: number | null }>(server, sql, [account.credentialId]))[0]?.lastUsedAt
    }
    await expect.poll(inDatabase).toBe(Date.parse(second))
    clock.advance(1_000)
    const third = await used()
    await server.restart()
    expect(await inDatabase()).toBe(Date.parse(third))
    expect(await find()).toBe(third)
  })

  test('stops working at the millisecond of its expiration', async () => {
    const expiresAt = new Date(clock.now() + 10_000).toISOString()
    const { plainTextSecretKey } = await owner.serverServiceAccounts.createCredential({
      params: { serviceAccountId: account.id },
      body: { name: 'short', expiresAt },
    })
    clock.advance(9_999)
    expect(await statusFor({ 'x-api-key': plainTextSecretKey })).toBe(200)
    clock.advance(1)
    expect(await statusFor({ 'x-api-key': plainTextSecretKey })).toBe(401)
  })
})

test('a restricted account has its assigned rights in the tenant that it names, and none without assignments', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const { tenantId } = owner
  const account = await addServerAccount(owner, 'Restricted')
  const list = () => account.installerKeys.list({ tenantId })
  await expect(list()).rejects.toMatchObject({ status: 403 })
  await owner.permissionAssignments.create({
    tenantId,
    body: {
      principalKind: 'ServiceAccount',
      principalId: account.id,
      permissionName: 'installer-key.read',
      scopeKind: 'Tenant',
    },
  })
  expect(await list()).toEqual({ items: [] })
  const elsewhere = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
  await expect(account.installerKeys.list({ tenantId: elsewhere })).rejects.toMatchObject({ status: 404 })
})

test('a tenant account is confined to its tenant', async () => {
  const server = await useTestServer({ settings: { AppOptions__EnablePublicRegistration: 'true' } })
  const owner = await server.owner()
  const other = await server.owner({ email: 'grace@example.org' })
  const { tenantId } = owner
  const { id } = await owner.tenantServiceAccounts.create({ params: { tenantId }, body: { name: 'robot' } })
  const { plainTextSecretKey } = await owner.tenantServiceAccounts.createCredential({
    params: { tenantId, serviceAccountId: id },
    body: { name: 'key' },
  })
  await owner.permissionAssignments.create({
    tenantId,
    body: {
      principalKind: 'ServiceAccount',
      principalId: id,
      permissionName: 'installer-key.read',
      scopeKind: 'Tenant',
    },
  })
  const robot = integrator(server.url, { 'x-api-key': plainTextSecretKey })
  expect(await robot.installerKeys.list({ tenantId })).toEqual({ items: [] })
  await expect(robot.installerKeys.list({ tenantId: other.tenantId })).rejects.toMatchObject({ status: 403 })
  await expect(robot.serverServiceAccounts.list({})).rejects.toMatchObject({ status: 403 })
})
