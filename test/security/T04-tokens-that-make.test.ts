import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PermissionName } from '../../shared/access.ts'
import { enrol, TestAgent } from '../support/agent.ts'
import { connectViewer } from '../support/hub-client.ts'
import { addMember, addTenantAccount, createUser } from '../support/people.ts'
import { account, integrator, startTestServer, type Member, type TestServer } from '../support/server.ts'

let server: TestServer
/** Holds everything. */
let owner: Member
let tenantId: string
let agent: TestAgent

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.owner()
  tenantId = owner.tenantId
  agent = await enrol(owner)
})
afterAll(() => server.stop())

const statusOf = (attempt: Promise<unknown>): Promise<number> =>
  attempt.then(
    () => 200,
    (error: { status: number }) => error.status,
  )

const atTenant = (permissionName: PermissionName) => ({ permissionName, scopeKind: 'Tenant' }) as const
type Client = ReturnType<typeof integrator>
const asUser = (id: string) => ({ principalKind: 'User', principalId: id }) as const
const give = (by: Pick<Member, 'permissionAssignments'>, userId: string, permission: PermissionName) =>
  by.permissionAssignments.create({ tenantId, body: { ...asUser(userId), ...atTenant(permission) } })

/** A restricted token of the owner, and what can happen to it. */
async function makeToken(...permissions: PermissionName[]) {
  const { personalAccessToken, plainTextToken } = await owner.personalAccessTokens.create({
    tenantId,
    body: { name: randomUUID(), permissionMode: 'Restricted', scopes: permissions.map(atTenant) },
  })
  const { id } = personalAccessToken
  const principal = { principalKind: 'PersonalAccessToken', principalId: id } as const
  return {
    id,
    client: integrator(server.url, { 'x-personal-token': plainTextToken }),
    remove: () => owner.personalAccessTokens.delete({ tenantId, params: { id } }),
    async lose(permission: PermissionName) {
      const { items } = await owner.permissionAssignments.list({ tenantId, query: principal })
      const row = items.find(({ permissionName }) => permissionName === permission)!
      await owner.permissionAssignments.delete({ tenantId, params: { assignmentId: row.id } })
    },
    regain: (permission: PermissionName) =>
      owner.permissionAssignments.create({ tenantId, body: { ...principal, ...atTenant(permission) } }),
  }
}

/** Takes a right from the owner of the tokens, and gives it back. */
async function whileOwnerLacks(permission: PermissionName, work: () => Promise<unknown>) {
  const row = await owner.permissionAssignments.create({
    tenantId,
    body: { ...asUser(owner.user.id), ...atTenant(permission), effect: 'Deny' },
  })
  await work()
  await owner.permissionAssignments.delete({ tenantId, params: { assignmentId: row.id } })
}

const person = () => addMember(server, tenantId, [])
const reads = (by: Pick<Client, 'devices'>) => statusOf(by.devices.get({ params: { deviceId: agent.id } }))
const giving: PermissionName[] = ['tenant.permissions.write', 'device.read']

describe('an assignment that a restricted token writes', () => {
  test('is refused for what the token does not hold, by every route', async () => {
    const { client } = await makeToken(...giving)
    const { id } = await createUser(owner)
    const body = { ...asUser(id), ...atTenant('device.terminal.use') }
    const { permissionAssignments: api } = client
    expect(await statusOf(api.create({ tenantId, body }))).toBe(403)
    expect(await statusOf(api.createBatch({ tenantId, body: { assignments: [body] } }))).toBe(403)
    const assignments = [atTenant('device.terminal.use')]
    expect(await statusOf(api.replace({ tenantId, body: { ...asUser(id), assignments } }))).toBe(403)
    const presetNames = ['Device Superuser' as const]
    expect(await statusOf(api.applyPresets({ tenantId, body: { ...asUser(id), presetNames } }))).toBe(403)
    const row = await give(client, id, 'device.read')
    const params = { assignmentId: row.id }
    expect(await statusOf(api.update({ tenantId, params, body: atTenant('device.terminal.use') }))).toBe(403)
    // Its owner, in whose name it acts, is no way around.
    const own = { ...asUser(owner.user.id), ...atTenant('device.read') }
    expect(await statusOf(api.create({ tenantId, body: own }))).toBe(409)
  })

  test('works while the token could: it ends when the token is restricted further, and when its owner loses the right', async () => {
    const token = await makeToken(...giving)
    const member = await person()
    await give(token.client, member.user.id, 'device.read')
    expect(await reads(member)).toBe(200)
    await token.lose('device.read')
    expect(await reads(member)).toBe(404)
    await token.regain('device.read')
    expect(await reads(member)).toBe(200)
    await whileOwnerLacks('device.read', async () => expect(await reads(member)).toBe(404))
    expect(await reads(member)).toBe(200)
  })

  test('goes with the token, which the log of changes says, and ends on live connections too', async () => {
    const token = await makeToken(...giving, 'device.terminal.use')
    const member = await person()
    const row = await give(token.client, member.user.id, 'device.read')
    await give(token.client, member.user.id, 'device.terminal.use')
    const viewer = await connectViewer(member)
    const call = async () =>
      (await viewer.SendTerminalInput2({ deviceId: agent.id, input: { terminalId: randomUUID(), input: 'ls' } })).reason
    expect(await call()).not.toBe('Forbidden.')
    await token.remove()
    expect(await call()).toBe('Forbidden.')
    expect(await reads(member)).toBe(404)
    const { items } = await owner.authorizationChangeLogs.list({
      tenantId,
      query: { actionType: 'permission-assignment-deleted', searchText: row.id },
    })
    expect(items).toHaveLength(1)
    expect((await give(owner, member.user.id, 'device.read')).id).not.toBe(row.id)
    await viewer.connection.stop()
  })

  test('stays when a person gives the same, or changes it', async () => {
    const token = await makeToken(...giving, 'tenant.permissions.read')
    const [one, two, three] = [await person(), await person(), await person()]
    await Promise.all([one, two, three].map(({ user }) => give(token.client, user.id, 'device.read')))
    await give(owner, one.user.id, 'device.read')
    const replacement = { ...asUser(two.user.id), assignments: [atTenant('device.read')] }
    await owner.permissionAssignments.replace({ tenantId, body: replacement })
    await token.remove()
    expect([await reads(one), await reads(two), await reads(three)]).toEqual([200, 200, 404])
  })

  test('that only gets other notes from a token stays what it was', async () => {
    const token = await makeToken(...giving)
    const member = await person()
    const row = await give(owner, member.user.id, 'device.read')
    const params = { assignmentId: row.id }
    const body = { ...atTenant('device.read'), notes: 'from the script' }
    await token.client.permissionAssignments.update({ tenantId, params, body })
    await token.remove()
    expect(await reads(member)).toBe(200)
  })

  test('may not lift a denial of what the token does not hold; a denial outlives its token', async () => {
    const token = await makeToken(...giving, 'tenant.permissions.deny')
    const member = await person()
    const { permissionAssignments: api } = token.client
    const deny = (permission: PermissionName, by: Pick<Member, 'permissionAssignments'>) =>
      by.permissionAssignments.create({
        tenantId,
        body: { ...asUser(member.user.id), ...atTenant(permission), effect: 'Deny' },
      })
    await give(owner, member.user.id, 'device.read')
    const { id } = await deny('device.terminal.use', owner)
    const params = { assignmentId: id }
    expect(await statusOf(api.delete({ tenantId, params }))).toBe(403)
    const disabled = { ...atTenant('device.terminal.use'), effect: 'Deny', isEnabled: false } as const
    expect(await statusOf(api.update({ tenantId, params, body: disabled }))).toBe(403)
    const batch = await api.deleteBatch({ tenantId, body: { assignmentIds: [id] } })
    expect(batch).toEqual({ successIds: [], failureIds: [id] })
    await deny('device.read', token.client)
    await token.remove()
    expect(await reads(member)).toBe(404)
  })

  test('and what its receiver hands on by it goes with the token, and has no right that the token lacks', async () => {
    const token = await makeToken('tenant.permissions.write', 'device.read')
    const [second, third] = [await person(), await person()]
    await give(token.client, second.user.id, 'tenant.permissions.write')
    expect(await statusOf(give(second, third.user.id, 'device.terminal.use'))).toBe(403)
    expect(await statusOf(give(second, second.user.id, 'tenant.permissions.write'))).toBe(409)
    await give(second, third.user.id, 'device.read')
    expect(await reads(third)).toBe(200)
    await token.lose('device.read')
    expect(await reads(third)).toBe(404)
    await token.regain('device.read')
    expect(await reads(third)).toBe(200)
    await token.remove()
    expect(await reads(third)).toBe(404)
    expect(await statusOf(give(second, third.user.id, 'device.read'))).toBe(403)
  })
})

describe('a token that a restricted token makes', () => {
  test('does no more than its maker still could, and goes with it', async () => {
    const token = await makeToken('personal-access-token.self.write', 'device.read')
    const made = await token.client.personalAccessTokens.create({
      tenantId,
      body: { name: 'made', scopes: [atTenant('device.read')] },
    })
    const client = integrator(server.url, { 'x-personal-token': made.plainTextToken })
    const principal = { principalKind: 'PersonalAccessToken', principalId: made.personalAccessToken.id } as const
    expect(await reads(client)).toBe(200)
    // A person may widen it, but not beyond its maker.
    const more = { ...principal, ...atTenant('device.alias.write') }
    await owner.permissionAssignments.create({ tenantId, body: more })
    const alias = () =>
      statusOf(client.devices.setAlias({ params: { deviceId: agent.id }, body: { deviceId: agent.id, alias: 'mine' } }))
    expect(await alias()).toBe(403)
    await token.lose('device.read')
    expect(await reads(client)).toBe(404)
    await token.regain('device.read')
    await token.remove()
    expect(await reads(client)).toBe(401)
    expect(
      await server.rows('SELECT 1 FROM permission_assignments WHERE principalId = ?', principal.principalId),
    ).toEqual([])
  })

  test('makes and gives nothing itself', async () => {
    const permissions = ['personal-access-token.self.write', 'tenant.permissions.write', 'device.read'] as const
    const token = await makeToken(...permissions)
    const made = await token.client.personalAccessTokens.create({
      tenantId,
      body: { name: 'made', scopes: permissions.map(atTenant) },
    })
    const client = integrator(server.url, { 'x-personal-token': made.plainTextToken })
    const { id } = await createUser(owner)
    expect(await statusOf(give(client, id, 'device.read'))).toBe(403)
    const body = { name: 'third', scopes: [atTenant('device.read')] }
    expect(await statusOf(client.personalAccessTokens.create({ tenantId, body }))).toBe(403)
  })

  test('for another has only what all three hold', async () => {
    const token = await makeToken('personal-access-token.others.write', 'device.read')
    const member = await person()
    await give(owner, member.user.id, 'device.read')
    await give(owner, member.user.id, 'device.alias.write')
    const create = (permission: PermissionName) =>
      token.client.userPersonalAccessTokens.create({
        tenantId,
        params: { userId: member.user.id },
        body: { name: 'theirs', scopes: [atTenant(permission)] },
      })
    expect(await statusOf(create('device.alias.write'))).toBe(403)
    const { plainTextToken } = await create('device.read')
    const client = integrator(server.url, { 'x-personal-token': plainTextToken })
    expect(await reads(client)).toBe(200)
    await token.lose('device.read')
    expect(await reads(client)).toBe(404)
  })
})

describe('a key that a restricted token makes', () => {
  test('of a service account needs every right of the account, and never does more than the token', async () => {
    const token = await makeToken('service-account.rotate-credentials', 'device.read')
    const program = await addTenantAccount(owner, [atTenant('device.read')])
    const superior = await addTenantAccount(owner, [atTenant('device.terminal.use')])
    const create = (id: string) =>
      token.client.tenantServiceAccounts.createCredential({
        params: { tenantId, serviceAccountId: id },
        body: { name: 'made' },
      })
    expect(await statusOf(create(superior.id))).toBe(403)
    const { plainTextSecretKey } = await create(program.id)
    const client = integrator(server.url, { 'x-api-key': plainTextSecretKey })
    expect([await reads(client), await reads(program)]).toEqual([200, 200])
    const principal = { principalKind: 'ServiceAccount', principalId: program.id } as const
    await owner.permissionAssignments.create({ tenantId, body: { ...principal, ...atTenant('device.alias.write') } })
    const alias = (by: Client) =>
      statusOf(by.devices.setAlias({ params: { deviceId: agent.id }, body: { deviceId: agent.id, alias: 'x' } }))
    expect([await alias(client), await alias(program)]).toEqual([403, 200])
    await token.lose('device.read')
    expect([await reads(client), await reads(program)]).toEqual([404, 200])
    await token.remove()
    expect([await reads(client), await reads(program)]).toEqual([401, 200])
  })

  test('of an unrestricted account, and such an account, is refused', async () => {
    const onServer = (permissionName: PermissionName) => ({ permissionName, scopeKind: 'Server' }) as const
    const { plainTextToken } = await owner.personalAccessTokens.create({
      tenantId,
      body: {
        name: 'server',
        scopes: [
          onServer('server.permissions.write'),
          onServer('server.service-accounts.write'),
          onServer('server.service-accounts.rotate-credentials'),
        ],
      },
    })
    const client = integrator(server.url, { 'x-personal-token': plainTextToken })
    const { serverServiceAccounts: api } = client
    expect(await statusOf(api.create({ body: { name: 'all', accessMode: 'Unrestricted' } }))).toBe(403)
    const { id } = await owner.serverServiceAccounts.create({
      body: { name: 'everything', accessMode: 'Unrestricted' },
    })
    const params = { serviceAccountId: id }
    expect(await statusOf(api.createCredential({ params, body: { name: 'key' } }))).toBe(403)
  })

  test('for installers needs agent.install in the token, when it is made and when it is used', async () => {
    const without = await makeToken('installer-key.write')
    const body = { tenantId, keyType: 'Persistent' as const }
    expect(await statusOf(without.client.installerKeys.create({ body }))).toBe(403)
    const token = await makeToken('installer-key.write', 'agent.install')
    const key = await token.client.installerKeys.create({ body })
    const known = new TestAgent(tenantId)
    await known.register(owner, key)
    const register = (one: TestAgent) => statusOf(one.register(owner, key))
    await token.lose('agent.install')
    expect([await register(known), await register(new TestAgent(tenantId))]).toEqual([403, 403])
    await token.regain('agent.install')
    expect([await register(known), await register(new TestAgent(tenantId))]).toEqual([200, 200])
    await token.remove()
    expect([await register(known), await register(new TestAgent(tenantId))]).toEqual([400, 400])
  })
})

test('a group is entered through a restricted token only as far as the token reaches, now and later', async () => {
  const token = await makeToken('user-group.assign-users', 'device.read')
  const member = await person()
  const group = async (...permissions: PermissionName[]) => {
    const { id } = await owner.userGroups.create({ tenantId, body: { name: randomUUID() } })
    for (const permission of permissions) {
      const principal = { principalKind: 'UserGroup', principalId: id } as const
      await owner.permissionAssignments.create({ tenantId, body: { ...principal, ...atTenant(permission) } })
    }
    return id
  }
  const join = (by: Pick<Member, 'userGroups'>, userGroupId: string) =>
    by.userGroups.addMembers({ tenantId, params: { userGroupId }, body: { userIds: [member.user.id] } })
  expect(await statusOf(join(token.client, await group('device.terminal.use')))).toBe(403)
  const id = await group('device.read')
  await join(token.client, id)
  expect(await reads(member)).toBe(200)
  const more = { principalKind: 'UserGroup', principalId: id, ...atTenant('device.alias.write') } as const
  await owner.permissionAssignments.create({ tenantId, body: more })
  const alias = () =>
    statusOf(member.devices.setAlias({ params: { deviceId: agent.id }, body: { deviceId: agent.id, alias: 'y' } }))
  expect(await alias()).toBe(403)
  await token.lose('device.read')
  expect(await reads(member)).toBe(404)
  await join(owner, id)
  expect([await reads(member), await alias()]).toEqual([200, 200])
  await token.remove()
  expect(await reads(member)).toBe(200)
})

test('a new user gets from a restricted token what it holds, and Self Service from the server', async () => {
  const token = await makeToken('tenant.users.write', 'tenant.permissions.write', 'device.read')
  const create = (presetNames: ('Device Superuser' | 'Self Service')[]) =>
    token.client.users.create({
      tenantId,
      body: { userName: `${randomUUID()}@example.org`, password: account.password, presetNames },
    })
  expect(await statusOf(create(['Device Superuser']))).toBe(403)
  const { email } = await create(['Self Service'])
  await token.remove()
  const member = await server.signIn({ email })
  const body = { name: 'own' }
  expect(await statusOf(member.personalAccessTokens.create({ tenantId, body }))).toBe(200)
})

test('a password is reset with a restricted token only where the token holds every right of the user', async () => {
  const token = await makeToken('tenant.users.write', 'device.read')
  const [plain, superior] = [await person(), await person()]
  await give(owner, plain.user.id, 'device.read')
  await give(owner, superior.user.id, 'device.terminal.use')
  const reset = ({ user }: Member) =>
    statusOf(token.client.users.resetPassword({ tenantId, params: { userId: user.id } }))
  expect([await reset(plain), await reset(superior)]).toEqual([200, 403])
})

test('a logon link of a restricted token ends with the token, and makes nothing itself', async () => {
  const token = await makeToken('device.logon-token.create', 'device.read', 'device.alias.write')
  const create = (permissions: ('device.read' | 'device.logon-token.create' | 'device.terminal.use')[]) =>
    token.client.logonTokens.createForExternalUser({
      body: { tenantId, deviceId: agent.id, userCorrelationId: randomUUID(), permissions },
    })
  expect(await statusOf(create(['device.terminal.use']))).toBe(400)
  const { deviceAccessUrl } = await create(['device.read', 'device.logon-token.create'])
  const visitor = server.visitor()
  const { pathname, search } = new URL(deviceAccessUrl)
  await visitor.fetch(pathname + search, { redirect: 'manual' })
  expect(await reads(visitor)).toBe(200)
  const again = visitor.logonTokens.createForExternalUser({
    body: { tenantId, deviceId: agent.id, userCorrelationId: 'again' },
  })
  expect(await statusOf(again)).toBe(403)
  expect(await statusOf(visitor.personalAccessTokens.create({ tenantId, body: { name: 'x' } }))).toBe(403)
  await token.lose('device.read')
  expect(await reads(visitor)).toBe(404)
  await token.regain('device.read')
  expect(await reads(visitor)).toBe(200)
  await token.remove()
  expect(await reads(visitor)).toBe(401)
})
