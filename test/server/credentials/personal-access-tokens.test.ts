import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { CreatePersonalAccessTokenRequestDto } from '../../../shared/dtos/personal-access-token.ts'
import { manualClock } from '../../support/clock.ts'
import { addMember, addServerAccount } from '../../support/people.ts'
import { account as ada, integrator, serverForFile, type Member } from '../../support/server.ts'
import { addDevices, changesOf, stored } from '../../support/stored.ts'

const unknownId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const path = '/api/v1/personal-access-tokens'
const clock = manualClock(Date.UTC(2026, 0, 2))

const server = serverForFile({ clock, settings: { AppOptions__EnablePublicRegistration: 'true' } })
let owner: Member
let colleague: Member
let stranger: Member
let deviceIds: string[]
beforeAll(async () => {
  const first = await server.owner()
  stranger = await server.owner({ email: 'grace@example.org' })
  deviceIds = (await addDevices(server, first.tenantId, 2)).map(({ id }) => id)
  colleague = await addMember(server, first.tenantId, [
    'personal-access-token.self.read',
    'personal-access-token.self.write',
    'installer-key.read',
    { permissionName: 'device.read', scopeKind: 'Device', scopeId: deviceIds[0]! },
  ])
  owner = await server.signIn(ada)
})

type Options = Partial<CreatePersonalAccessTokenRequestDto>
type Caller = Pick<Member, 'personalAccessTokens' | 'installerKeys' | 'devices' | 'users'>

/** Creates a caller's own token, and a program that uses it. */
async function makeToken(caller: Caller, options: Options = {}) {
  const { personalAccessToken, plainTextToken } = await caller.personalAccessTokens.create({
    tenantId: owner.tenantId,
    body: { name: 'script', ...options },
  })
  const script = integrator(server.url, { 'x-personal-token': plainTextToken })
  return { ...personalAccessToken, key: plainTextToken, script }
}

const statusOf = (work: Promise<unknown>) =>
  work.then(
    () => 200,
    (error: unknown) => (error as { status: number }).status,
  )

const deviceScope = (scopeId: string) => ({ permissionName: 'device.read', scopeKind: 'Device', scopeId }) as const
const tenantScope = (permissionName: 'installer-key.read' | 'personal-access-token.self.write') =>
  ({ permissionName, scopeKind: 'Tenant' }) as const

describe('own tokens', () => {
  test('are shown once, listed newest first, renamed and deleted', async () => {
    const response = await owner.fetch(`${path}?tenantId=${owner.tenantId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: ' script ' }),
    })
    expect(response.status).toBe(201)
    expect(response.headers.get('location')).toBe(`${path}?tenantId=${owner.tenantId}`)
    type Answer = Awaited<ReturnType<Member['personalAccessTokens']['create']>>
    const { personalAccessToken: first, plainTextToken } = (await response.json()) as Answer
    expect(first).toEqual({
      id: expect.any(String),
      name: 'script',
      createdAt: '2026-01-02T00:00:00.000Z',
      lastUsed: null,
      permissionMode: 'InheritOwner',
      permissionCount: 0,
    })
    expect(plainTextToken).toMatch(/^[\dA-F]{32}:[\w-]{86}$/)
    clock.advance(1)
    const second = await makeToken(owner, { name: 'n'.repeat(256) })
    const list = async () => (await owner.personalAccessTokens.list({ tenantId: owner.tenantId })).items
    expect((await list()).map(({ id }) => id)).toEqual([second.id, first.id])
    const input = { tenantId: owner.tenantId, params: { id: first.id } }
    const renamed = { ...first, name: 'other' }
    expect(await owner.personalAccessTokens.update({ ...input, body: { name: 'other' } })).toEqual(renamed)
    expect(await list()).toContainEqual(renamed)
    await owner.personalAccessTokens.delete(input)
    expect((await list()).map(({ id }) => id)).toEqual([second.id])
    expect((await changesOf(server, first.id)).map(({ action, actor }) => [action, actor])).toEqual([
      ['credential-scope-set', owner.user.id],
      ['credential-scope-removed', owner.user.id],
    ])
    const everything = [
      await stored(server, 'SELECT * FROM personal_access_tokens'),
      await stored(server, 'SELECT * FROM authorization_change_logs'),
      server.log.lines,
    ]
    expect(JSON.stringify(everything)).not.toContain(plainTextToken.split(':')[1])
  })

  test.each([
    [{}, 'name'],
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(257) }, 'name'],
    [{ name: 'x', permissionMode: 'Some' }, 'permissionMode'],
    [{ name: 'x', scopes: [{ permissionName: 'device.fly', scopeKind: 'Tenant' }] }, 'scopes.0.permissionName'],
    [{ name: 'x', scopes: [{ permissionName: 'device.read', scopeKind: 'World' }] }, 'scopes.0.scopeKind'],
    [{ name: 'x', scopes: [{ permissionName: 'installer-key.read', scopeKind: 'Device' }] }, 'scopes'],
    [{ name: 'x', scopes: [{ permissionName: 'device.read', scopeKind: 'Server' }] }, 'scopes'],
    [{ name: 'x', scopes: [{ permissionName: 'device.read', scopeKind: 'Device' }] }, 'scopes'],
    [{ name: 'x', scopes: [{ permissionName: 'device.read', scopeKind: 'Device', scopeId: unknownId }] }, 'scopes'],
    [
      { name: 'x', permissionMode: 'InheritOwner', scopes: [{ permissionName: 'device.read', scopeKind: 'Tenant' }] },
      'scopes',
    ],
  ])('%j is refused for its %s', async (body, field) => {
    const response = await owner.fetch(`${path}?tenantId=${owner.tenantId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(400)
    expect(Object.keys(((await response.json()) as { errors: object }).errors)).toEqual([field])
  })

  test('of another user are 404', async () => {
    const { id } = await makeToken(owner)
    const input = { tenantId: owner.tenantId, params: { id } }
    const { personalAccessTokens: routes } = colleague
    expect(await statusOf(routes.update({ ...input, body: { name: 'mine' } }))).toBe(404)
    expect(await statusOf(routes.delete(input))).toBe(404)
    expect(await statusOf(routes.delete({ ...input, params: { id: unknownId } }))).toBe(404)
    expect((await routes.list({ tenantId: owner.tenantId })).items.map((item) => item.id)).not.toContain(id)
  })

  test('are for users: a service account gets 400', async () => {
    const { personalAccessTokens: routes } = await addServerAccount(owner)
    const input = { tenantId: owner.tenantId }
    expect(await statusOf(routes.list(input))).toBe(400)
    expect(await statusOf(routes.create({ ...input, body: { name: 'x' } }))).toBe(400)
    expect(await statusOf(routes.update({ ...input, params: { id: unknownId }, body: { name: 'x' } }))).toBe(400)
    expect(await statusOf(routes.delete({ ...input, params: { id: unknownId } }))).toBe(400)
  })

  test('need the id of the own tenant', async () => {
    expect((await owner.fetch(path)).status).toBe(400)
    const foreign = owner.personalAccessTokens.list({ tenantId: stranger.tenantId })
    expect(await statusOf(foreign)).toBe(403)
  })

  test('need the permission', async () => {
    const nobody = await addMember(server, owner.tenantId, [])
    owner = await server.signIn(ada)
    const { personalAccessTokens: routes } = nobody
    expect(await statusOf(routes.list({ tenantId: owner.tenantId }))).toBe(403)
    expect(await statusOf(makeToken(nobody))).toBe(403)
  })
})

describe('a token', () => {
  test('acts as its owner until it is deleted', async () => {
    const { id, script, key } = await makeToken(colleague)
    expect(await script.installerKeys.list({ tenantId: owner.tenantId })).toEqual({ items: [] })
    expect((await script.auth.me({})).id).toBe(colleague.user.id)
    expect(await statusOf(script.tags.create({ tenantId: owner.tenantId, body: { name: 'x' } }))).toBe(403)
    const [hex = '', secret = ''] = key.split(':')
    const inLowerCase = integrator(server.url, { 'x-personal-token': `${hex.toLowerCase()}:${secret}` })
    expect((await inLowerCase.auth.me({})).id).toBe(colleague.user.id)
    await colleague.personalAccessTokens.delete({ tenantId: owner.tenantId, params: { id } })
    expect(await statusOf(script.auth.me({}))).toBe(401)
  })

  test('follows the rights of its owner', async () => {
    const member = await addMember(server, owner.tenantId, ['personal-access-token.self.write', 'installer-key.read'])
    owner = await server.signIn(ada)
    const { script } = await makeToken(member)
    const list = () => statusOf(script.installerKeys.list({ tenantId: owner.tenantId }))
    expect(await list()).toBe(200)
    await owner.permissionAssignments.create({
      tenantId: owner.tenantId,
      body: {
        principalKind: 'User',
        principalId: member.user.id,
        permissionName: 'installer-key.read',
        effect: 'Deny',
        scopeKind: 'Tenant',
      },
    })
    expect(await list()).toBe(403)
    const ofMember = { tenantId: owner.tenantId, params: { userId: member.user.id } }
    const me = () => statusOf(script.auth.me({}))
    expect(await me()).toBe(200)
    await owner.users.resetPassword(ofMember)
    expect(await me()).toBe(403)
    await owner.users.delete(ofMember)
    expect(await me()).toBe(401)
  })

  test('has the time of its last use in the list, also after a restart', async () => {
    const { id, script } = await makeToken(owner)
    const lastUsed = async () =>
      (await owner.personalAccessTokens.list({ tenantId: owner.tenantId })).items.find((item) => item.id === id)
        ?.lastUsed
    expect(await lastUsed()).toBeNull()
    clock.advance(5_000)
    await script.auth.me({})
    const used = new Date(clock.now()).toISOString()
    expect(await lastUsed()).toBe(used)
    await server.restart()
    expect(await lastUsed()).toBe(used)
    await script.auth.me({})
  })

  test('that is wrong, unknown or malformed is 401, whatever other credential is sent', async () => {
    const { key } = await makeToken(owner)
    for (const bad of [`${key}x`, `${'1'.repeat(32)}:secret`, 'malformed']) {
      const response = await fetch(`${server.url}/api/auth/me`, {
        headers: { 'x-personal-token': bad, cookie: owner.cookie! },
      })
      expect([bad, response.status]).toEqual([bad, 401])
    }
  })
})

test('a token that is made with an empty list of scopes, and no mode, holds nothing', async () => {
  const { script, ...token } = await makeToken(owner, { scopes: [] })
  expect(token).toMatchObject({ permissionMode: 'Restricted', permissionCount: 0 })
  expect(await statusOf(script.installerKeys.list({ tenantId: owner.tenantId }))).toBe(403)
  const { script: inheriting } = await makeToken(owner, { scopes: null })
  expect(await statusOf(inheriting.installerKeys.list({ tenantId: owner.tenantId }))).toBe(200)
})

describe('a Restricted token', () => {
  test('may do what both its own rights and its owner permit', async () => {
    const scopes = [deviceScope(deviceIds[0]!), deviceScope(deviceIds[0]!), tenantScope('installer-key.read')]
    const token = await makeToken(owner, { scopes })
    expect(token).toMatchObject({ permissionMode: 'Restricted', permissionCount: 2 })
    const { script } = token
    expect(await script.installerKeys.list({ tenantId: owner.tenantId })).toEqual({ items: [] })
    expect((await script.devices.get({ params: { deviceId: deviceIds[0]! } })).id).toBe(deviceIds[0])
    expect(await statusOf(script.devices.get({ params: { deviceId: deviceIds[1]! } }))).toBe(404)
    expect(await statusOf(script.personalAccessTokens.list({ tenantId: owner.tenantId }))).toBe(403)
    const [change] = await changesOf(server, token.id)
    expect(change).toMatchObject({
      action: 'credential-scope-set',
      after: { permissionMode: 'Restricted', scopes: expect.arrayContaining([deviceScope(deviceIds[0]!)]) },
    })
    await owner.personalAccessTokens.delete({ tenantId: owner.tenantId, params: { id: token.id } })
    const sql = 'SELECT id FROM permission_assignments WHERE principalId = ?'
    expect(await stored(server, sql, [token.id])).toEqual([])
  })

  test('without rights may do nothing', async () => {
    const { script, permissionCount } = await makeToken(owner, { permissionMode: 'Restricted' })
    expect(permissionCount).toBe(0)
    expect(await statusOf(script.installerKeys.list({ tenantId: owner.tenantId }))).toBe(403)
  })

  test('is given nothing that its owner does not hold (T04)', async () => {
    expect(await statusOf(makeToken(colleague, { scopes: [deviceScope(deviceIds[0]!)] }))).toBe(200)
    expect(await statusOf(makeToken(colleague, { scopes: [deviceScope(deviceIds[1]!)] }))).toBe(403)
    const widest = { permissionName: 'device.read', scopeKind: 'Tenant' } as const
    expect(await statusOf(makeToken(colleague, { scopes: [widest] }))).toBe(403)
    const server = { permissionName: 'server.permissions.write', scopeKind: 'Server' } as const
    expect(await statusOf(makeToken(colleague, { scopes: [server] }))).toBe(403)
    expect(await statusOf(makeToken(owner, { scopes: [server] }))).toBe(200)
  })

  test('creates no token that may do more than itself (T04)', async () => {
    const { script } = await makeToken(owner, {
      scopes: [tenantScope('personal-access-token.self.write'), deviceScope(deviceIds[0]!)],
    })
    expect(await statusOf(makeToken(script))).toBe(403)
    expect(await statusOf(makeToken(script, { permissionMode: 'InheritOwner' }))).toBe(403)
    expect(await statusOf(makeToken(script, { scopes: [deviceScope(deviceIds[1]!)] }))).toBe(403)
    expect(await statusOf(makeToken(script, { scopes: [deviceScope(deviceIds[0]!)] }))).toBe(200)
  })
})

test('an inheriting token creates Restricted tokens, but no inheriting one (T04)', async () => {
  const { script } = await makeToken(owner)
  expect(await statusOf(makeToken(script))).toBe(403)
  expect(await statusOf(makeToken(script, { scopes: [tenantScope('installer-key.read')] }))).toBe(200)
})

describe('tokens of another user', () => {
  const tokens = () => owner.userPersonalAccessTokens
  const of = (userId: string) => ({ tenantId: owner.tenantId, params: { userId } })

  test('are created, listed, renamed and deleted for a user', async () => {
    const userId = colleague.user.id
    const address = `/api/v1/users/${userId}/personal-access-tokens?tenantId=${owner.tenantId}`
    const response = await owner.fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'for you' }),
    })
    expect([response.status, response.headers.get('location')]).toEqual([201, address])
    type Answer = Awaited<ReturnType<Member['userPersonalAccessTokens']['create']>>
    const { personalAccessToken: made, plainTextToken } = (await response.json()) as Answer
    const script = integrator(server.url, { 'x-personal-token': plainTextToken })
    expect((await script.auth.me({})).id).toBe(userId)
    const { items } = await tokens().list(of(userId))
    expect(items).toContainEqual(expect.objectContaining({ id: made.id, name: 'for you' }))
    const params = { userId, tokenId: made.id }
    const input = { tenantId: owner.tenantId, params }
    expect((await tokens().update({ ...input, body: { name: 'renamed' } })).name).toBe('renamed')
    await tokens().delete(input)
    expect(await statusOf(script.auth.me({}))).toBe(401)
    expect(await statusOf(tokens().delete(input))).toBe(404)
  })

  test('of another tenant, or of an unknown user, are 404', async () => {
    const { id } = await makeToken(owner)
    for (const userId of [stranger.user.id, unknownId]) {
      const params = { userId, tokenId: id }
      expect(await statusOf(tokens().list(of(userId)))).toBe(404)
      expect(await statusOf(tokens().create({ ...of(userId), body: { name: 'x' } }))).toBe(404)
      expect(await statusOf(tokens().update({ ...of(userId), params, body: { name: 'x' } }))).toBe(404)
      expect(await statusOf(tokens().delete({ ...of(userId), params }))).toBe(404)
    }
    const params = { userId: colleague.user.id, tokenId: id }
    expect(await statusOf(tokens().delete({ tenantId: owner.tenantId, params }))).toBe(404)
  })

  test('are also created by service accounts', async () => {
    const account = await addServerAccount(owner)
    const { plainTextToken } = await account.userPersonalAccessTokens.create({
      ...of(colleague.user.id),
      body: { name: 'provisioned' },
    })
    const script = integrator(server.url, { 'x-personal-token': plainTextToken })
    expect((await script.auth.me({})).id).toBe(colleague.user.id)
  })

  test('need the permission, for the own tokens that of the own too, and are not created for a user with more rights (T04)', async () => {
    const admin = await addMember(server, owner.tenantId, [
      'personal-access-token.others.write',
      'personal-access-token.others.read',
      'installer-key.read',
    ])
    owner = await server.signIn(ada)
    const { userPersonalAccessTokens: routes } = admin
    const own = of(admin.user.id)
    const ownParams = { userId: admin.user.id, tokenId: unknownId }
    expect(await statusOf(routes.list(own))).toBe(403)
    expect(await statusOf(routes.create({ ...own, body: { name: 'mine' } }))).toBe(403)
    expect(await statusOf(routes.update({ ...own, params: ownParams, body: { name: 'mine' } }))).toBe(403)
    expect(await statusOf(routes.delete({ ...own, params: ownParams }))).toBe(403)
    expect(await statusOf(routes.create({ ...of(colleague.user.id), body: { name: randomUUID() } }))).toBe(200)
    expect(await statusOf(routes.create({ ...of(owner.user.id), body: { name: randomUUID() } }))).toBe(403)
    const ruling = { permissionName: 'tenant.permissions.write', scopeKind: 'Tenant' } as const
    const scoped = (scope: typeof ruling | ReturnType<typeof tenantScope>) =>
      routes.create({ ...of(owner.user.id), body: { name: randomUUID(), scopes: [scope] } })
    expect(await statusOf(scoped(ruling))).toBe(403)
    expect(await statusOf(scoped(tenantScope('installer-key.read')))).toBe(403)
    expect(await statusOf(routes.list(of(owner.user.id)))).toBe(200)
    expect(await statusOf(colleague.userPersonalAccessTokens.list(of(owner.user.id)))).toBe(403)
    expect(
      await statusOf(colleague.userPersonalAccessTokens.create({ ...of(owner.user.id), body: { name: 'x' } })),
    ).toBe(403)
  })
})
