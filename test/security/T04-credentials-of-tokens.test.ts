import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { PermissionName } from '../../shared/access.ts'
import { enroll, TestAgent } from '../support/agent.ts'
import { asUser, atTenant } from '../support/grants.ts'
import { addMember, addTenantAccount, createUser } from '../support/people.ts'
import { makeRestrictedToken } from '../support/restricted-token.ts'
import { integrator, ownerForFile, serverForFile, type Member } from '../support/server.ts'
import { statusOf } from '../support/statuses.ts'

let tenantId: string
let agent: TestAgent

const server = serverForFile()
/** Holds every permission. */
const owner = ownerForFile(server)
beforeAll(async () => {
  tenantId = owner.tenantId
  agent = await enroll(owner)
})

type Client = ReturnType<typeof integrator>
const give = (by: Pick<Member, 'permissionAssignments'>, userId: string, permission: PermissionName) =>
  by.permissionAssignments.create({ tenantId, body: { ...asUser(userId), ...atTenant(permission) } })

const makeToken = (...permissions: PermissionName[]) => makeRestrictedToken(owner, permissions)

const person = () => addMember(server, tenantId, [])
const reads = (by: Pick<Client, 'devices'>) => statusOf(by.devices.get({ params: { deviceId: agent.id } }))

describe('a token that a restricted token makes', () => {
  test('has only the rights that its maker still has, and ends with its maker', async () => {
    const token = await makeToken('personal-access-token.self.write', 'device.read')
    const made = await token.client.personalAccessTokens.create({
      tenantId,
      body: { name: 'made', scopes: [atTenant('device.read')] },
    })
    const client = integrator(server.url, { 'x-personal-token': made.plainTextToken })
    const principal = { principalKind: 'PersonalAccessToken', principalId: made.personalAccessToken.id } as const
    expect(await reads(client)).toBe(200)
    // A person may extend the token, but not beyond its maker's rights.
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

  test('cannot create tokens or give rights', async () => {
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

  test('acts on another holder with the rights that its maker still has, not with those written for it', async () => {
    const permissions = ['personal-access-token.self.write', 'tenant.users.delete', 'tenant.customers.write'] as const
    const token = await makeToken(...permissions)
    const made = await token.client.personalAccessTokens.create({
      tenantId,
      body: { name: 'made', scopes: permissions.map(atTenant) },
    })
    const client = integrator(server.url, { 'x-personal-token': made.plainTextToken })
    const deleteHolder = async () => {
      const { id } = await createUser(owner)
      await give(owner, id, 'tenant.customers.write')
      return statusOf(client.users.delete({ tenantId, params: { userId: id } }))
    }
    expect(await deleteHolder()).toBe(200)
    await token.lose('tenant.customers.write')
    expect(await deleteHolder()).toBe(403)
  })

  test('for another user has only the rights that all three hold', async () => {
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
  test('of a service account needs every right of the account, and never exceeds the token', async () => {
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
