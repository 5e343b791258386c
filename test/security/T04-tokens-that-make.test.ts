import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { PermissionName } from '../../shared/access.ts'
import { enroll, type TestAgent } from '../support/agent.ts'
import { asUser, atTenant } from '../support/grants.ts'
import { connectViewer } from '../support/hub-client.ts'
import { addMember, createUser } from '../support/people.ts'
import { makeRestrictedToken } from '../support/restricted-token.ts'
import { account, integrator, ownerForFile, serverForFile, type Member } from '../support/server.ts'
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

const give = (by: Pick<Member, 'permissionAssignments'>, userId: string, permission: PermissionName) =>
  by.permissionAssignments.create({ tenantId, body: { ...asUser(userId), ...atTenant(permission) } })

const makeToken = (...permissions: PermissionName[]) => makeRestrictedToken(owner, permissions)

/** Removes a right of the tokens' owner while `work` runs. */
async function whileOwnerLacks(permission: PermissionName, work: () => Promise<unknown>) {
  const row = await owner.permissionAssignments.create({
    tenantId,
    body: { ...asUser(owner.user.id), ...atTenant(permission), effect: 'Deny' },
  })
  await work()
  await owner.permissionAssignments.delete({ tenantId, params: { assignmentId: row.id } })
}

const person = () => addMember(server, tenantId, [])
const reads = (by: Pick<Member, 'devices'>) => statusOf(by.devices.get({ params: { deviceId: agent.id } }))
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
    // The token's owner is no way around the limit.
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

  test('ends with the token, in the log of changes and on live connections too', async () => {
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

  test('remains when a person gives the same right, or changes it', async () => {
    const token = await makeToken(...giving, 'tenant.permissions.read')
    const [one, two, three] = [await person(), await person(), await person()]
    await Promise.all([one, two, three].map(({ user }) => give(token.client, user.id, 'device.read')))
    await give(owner, one.user.id, 'device.read')
    const replacement = { ...asUser(two.user.id), assignments: [atTenant('device.read')] }
    await owner.permissionAssignments.replace({ tenantId, body: replacement })
    await token.remove()
    expect([await reads(one), await reads(two), await reads(three)]).toEqual([200, 200, 404])
  })

  test('remains unchanged when a token only edits its notes', async () => {
    const token = await makeToken(...giving)
    const member = await person()
    const row = await give(owner, member.user.id, 'device.read')
    const params = { assignmentId: row.id }
    const body = { ...atTenant('device.read'), notes: 'from the script' }
    await token.client.permissionAssignments.update({ tenantId, params, body })
    await token.remove()
    expect(await reads(member)).toBe(200)
  })

  test('cannot lift a denial of a right that the token lacks; a denial outlives its token', async () => {
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

test('a right that the owner of a token has from another token does not count when the token acts on another user', async () => {
  const giver = await makeToken('tenant.permissions.write', 'device.read')
  const second = await addMember(server, tenantId, ['personal-access-token.self.write', 'tenant.users.write'])
  await give(giver.client, second.user.id, 'device.read')
  const token = await makeRestrictedToken(second, ['tenant.users.write', 'device.read'])
  expect(await reads(token.client)).toBe(200)
  const [plain, reader] = [await person(), await person()]
  await give(owner, reader.user.id, 'device.read')
  const reset = ({ user }: Member) =>
    statusOf(token.client.users.resetPassword({ tenantId, params: { userId: user.id } }))
  expect([await reset(plain), await reset(reader)]).toEqual([200, 403])
})

describe('a device is moved with a restricted token', () => {
  const principal = () => asUser(owner.user.id)
  type Scope = { scopeKind: 'CustomerTenant' | 'DeviceGroup'; scopeId: string }
  const give = (effect: 'Allow' | 'Deny', permissionName: PermissionName, scope: Scope) =>
    owner.permissionAssignments.create({ tenantId, body: { ...principal(), permissionName, effect, ...scope } })

  test('to a customer or a group only where the token holds what is given there', async () => {
    const token = await makeToken('tenant.customers.write', 'device-group.assign-devices', 'device.read')
    const named = () => ({ tenantId, body: { name: randomUUID() } })
    const { id: customerId } = await owner.customers.create(named())
    const { id: deviceGroupId } = await owner.deviceGroups.create(named())
    const body = { deviceIds: [agent.id] }
    const assign = () => statusOf(token.client.customers.assignDevices({ tenantId, params: { customerId }, body }))
    const join = () => statusOf(token.client.deviceGroups.addMembers({ tenantId, params: { deviceGroupId }, body }))
    const rows = [
      await give('Allow', 'device.terminal.use', { scopeKind: 'CustomerTenant', scopeId: customerId }),
      await give('Allow', 'device.terminal.use', { scopeKind: 'DeviceGroup', scopeId: deviceGroupId }),
    ]
    expect([await assign(), await join()]).toEqual([403, 403])
    for (const { id } of rows) {
      await owner.permissionAssignments.delete({ tenantId, params: { assignmentId: id } })
    }
    expect([await assign(), await join()]).toEqual([200, 200])
  })

  test('out of them only where the token holds what is denied there', async () => {
    const token = await makeToken('tenant.device-groups.write', 'device-group.assign-devices', 'device.read')
    const { id: deviceGroupId } = await owner.deviceGroups.create({ tenantId, body: { name: randomUUID() } })
    const params = { deviceGroupId }
    const body = { deviceIds: [agent.id] }
    await owner.deviceGroups.addMembers({ tenantId, params, body })
    await give('Deny', 'device.wake.send', { scopeKind: 'DeviceGroup', scopeId: deviceGroupId })
    const { deviceGroups: api } = token.client
    expect(await statusOf(api.removeMembers({ tenantId, params, body }))).toBe(403)
    expect(await statusOf(api.delete({ tenantId, params }))).toBe(403)
    await owner.deviceGroups.removeMembers({ tenantId, params, body })
    expect(await statusOf(api.delete({ tenantId, params }))).toBe(200)
  })
})

test('a token that a token made makes nothing itself, not even with what both hold', async () => {
  const held: PermissionName[] = ['personal-access-token.self.write', 'device.read']
  const { client } = await makeToken(...held)
  const restricted = (permissions: PermissionName[]) => ({
    tenantId,
    body: { name: randomUUID(), permissionMode: 'Restricted' as const, scopes: permissions.map(atTenant) },
  })
  const { plainTextToken } = await client.personalAccessTokens.create(restricted(held))
  const second = integrator(server.url, { 'x-personal-token': plainTextToken })
  await expect(second.personalAccessTokens.create(restricted(['device.read']))).rejects.toMatchObject({
    status: 403,
    message: expect.stringContaining('made with another token'),
  })
})
