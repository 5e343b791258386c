import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { enroll, type TestAgent } from '../../support/agent.ts'
import { addServerAccount, addTenantAccount, type Program } from '../../support/people.ts'
import { ownerForFile, serverForFile, type Member } from '../../support/server.ts'

let stranger: Member
let agent: TestAgent
let grouped: TestAgent
let tenantId: string
let groupId: string
let customerId: string
let userGroupId: string
let account: Program
let serverAccount: Program
let person: { principalKind: 'User'; principalId: string }

type Grant = Omit<Parameters<Member['permissionAssignments']['create']>[0]['body'], 'principalKind' | 'principalId'>
const give = (principal: object, grant: Grant) =>
  owner.permissionAssignments.create({ tenantId, body: { ...principal, ...grant } as never })

const server = serverForFile({ settings: { AppOptions__EnablePublicRegistration: 'true' } })
const owner = ownerForFile(server)
beforeAll(async () => {
  tenantId = owner.tenantId
  stranger = await server.owner({ email: 'eve@example.org' })
  agent = await enroll(owner)
  grouped = await enroll(owner)
  await owner.devices.setAlias({ params: { deviceId: grouped.id }, body: { alias: 'Till 3' } })
  groupId = (await owner.deviceGroups.create({ tenantId, body: { name: 'Tills' } })).id
  await owner.deviceGroups.addMembers({
    tenantId,
    params: { deviceGroupId: groupId },
    body: { deviceIds: [grouped.id] },
  })
  customerId = (await owner.customers.create({ tenantId, body: { name: 'Bakery' } })).id
  userGroupId = (await owner.userGroups.create({ tenantId, body: { name: 'Interns' } })).id
  account = await addTenantAccount(owner)
  serverAccount = await addServerAccount(owner, 'Restricted')
  const { id } = await owner.users.create({ tenantId, body: { userName: 'person@example.org' } })
  person = { principalKind: 'User', principalId: id }
  await owner.userGroups.addMembers({ tenantId, params: { userGroupId }, body: { userIds: [id] } })

  await give(person, { permissionName: 'device.read', scopeKind: 'Tenant' })
  const interns = { principalKind: 'UserGroup', principalId: userGroupId }
  await give(interns, { permissionName: 'device.read', scopeKind: 'DeviceGroup', scopeId: groupId, effect: 'Deny' })
  await give(interns, { permissionName: 'device.wake.send', scopeKind: 'CustomerTenant', scopeId: customerId })
  await give(person, { permissionName: 'device.wake.send', scopeKind: 'Device', scopeId: grouped.id })
  await give(person, { permissionName: 'device.delete', scopeKind: 'Tenant', isEnabled: false })
  const robot = { principalKind: 'ServiceAccount', principalId: account.id }
  await give(robot, { permissionName: 'device.read', scopeKind: 'Tenant' })
})

type Query = Parameters<Member['effectivePermissions']['get']>[0]['query']
const ask = (principalId: string, query: Query, by: Member = owner) =>
  by.effectivePermissions.get({ tenantId: by.tenantId, params: { principalId }, query })
const askPerson = (permissionName: string, scope: Partial<Query> = {}) =>
  ask(person.principalId, { principalKind: 'User', permissionName, ...scope })

const onDevice = (target: () => TestAgent) => () => ({ scopeKind: 'Device' as const, scopeId: target().id })

test.each<[string, string, () => Partial<Query>, string | null]>([
  ['the tenant, unless a scope is named', 'device.read', () => ({}), null],
  ['a device', 'device.read', onDevice(() => agent), null],
  ['a customer', 'device.wake.send', () => ({ scopeKind: 'CustomerTenant', scopeId: customerId }), null],
  [
    'what a group denies',
    'device.read',
    onDevice(() => grouped),
    'device.read is denied at the device group “Tills”, through the user group “Interns”. A denial overrides every allow.',
  ],
  [
    'the denied group itself',
    'device.read',
    () => ({ scopeKind: 'DeviceGroup', scopeId: groupId }),
    'device.read is denied at the device group “Tills”, through the user group “Interns”. A denial overrides every allow.',
  ],
  [
    'what nobody gave',
    'device.logs.read',
    () => ({}),
    'No assignment gives device.logs.read to this user or its user groups.',
  ],
  [
    'what is given elsewhere',
    'device.wake.send',
    onDevice(() => agent),
    'device.wake.send is given only at the device “Till 3”; at the customer “Bakery”, through the user group “Interns”, which does not include this scope.',
  ],
  ['what is disabled', 'device.delete', () => ({}), 'The assignment of device.delete at the tenant is disabled.'],
  [
    'the server',
    'server.tenants.read',
    () => ({ scopeKind: 'Server' }),
    'No assignment gives server.tenants.read to this user or its user groups.',
  ],
  ['an unknown permission', 'device.everything', () => ({}), 'There is no permission device.everything.'],
])('the answer explains %s', async (_, permissionName, scope, denyReason) => {
  expect(await askPerson(permissionName, scope())).toEqual({ isAllowed: denyReason === null, denyReason })
})

test('a group or a service account is explained by its own assignments', async () => {
  const read = { permissionName: 'device.read' }
  expect(await ask(userGroupId, { principalKind: 'UserGroup', ...read })).toEqual({
    isAllowed: false,
    denyReason: 'No assignment gives device.read to this user group.',
  })
  const robot = { principalKind: 'ServiceAccount', ...read } as const
  expect(await ask(account.id, robot)).toEqual({ isAllowed: true, denyReason: null })
  const params = { tenantId, serviceAccountId: account.id }
  await owner.tenantServiceAccounts.update({ params, body: { name: 'robot', isEnabled: false } })
  expect(await ask(account.id, robot)).toEqual({ isAllowed: false, denyReason: 'The service account is disabled.' })
})

test('the answer agrees with what the principal can do', async () => {
  const may = async (deviceId: string) =>
    (
      await ask(owner.user.id, {
        principalKind: 'User',
        permissionName: 'device.read',
        scopeKind: 'Device',
        scopeId: deviceId,
      })
    ).isAllowed
  const can = (deviceId: string) =>
    owner.devices.get({ params: { deviceId } }).then(
      () => true,
      () => false,
    )
  const deny = await give(
    { principalKind: 'User', principalId: owner.user.id },
    { permissionName: 'device.read', scopeKind: 'DeviceGroup', scopeId: groupId, effect: 'Deny' },
  )
  for (const { id } of [agent, grouped]) {
    expect(await may(id)).toBe(await can(id))
  }
  expect(await may(grouped.id)).toBe(false)
  await owner.permissionAssignments.delete({ tenantId, params: { assignmentId: deny.id } })
})

describe('is refused for', () => {
  const query = { principalKind: 'User', permissionName: 'device.read' } as const

  test.each<[string, object, number]>([
    ['a personal access token', { principalKind: 'PersonalAccessToken' }, 400],
    ['a logon token', { principalKind: 'LogonToken' }, 400],
    ['an unknown kind of principal', { principalKind: 'Robot' }, 400],
    ['no permission name', { permissionName: undefined }, 400],
    ['a permission name of 151 characters', { permissionName: 'x'.repeat(151) }, 400],
    ['an unknown scope', { scopeKind: 'Galaxy' }, 400],
    ['a device without id', { scopeKind: 'Device' }, 400],
    ['a device that is unknown', { scopeKind: 'Device', scopeId: randomUUID() }, 400],
    ['another tenant', { scopeKind: 'Tenant', scopeId: randomUUID() }, 400],
    ['a group as a user', { principalKind: 'UserGroup' }, 404],
  ])('%s', async (_, changes, status) => {
    const asked = { ...query, ...changes } as Query
    await expect(ask(person.principalId, asked)).rejects.toMatchObject({ status })
  })

  test('a principal that is unknown, of another tenant, or a server service account', async () => {
    await expect(ask(randomUUID(), query)).rejects.toMatchObject({ status: 404 })
    await expect(ask(stranger.user.id, query)).rejects.toMatchObject({ status: 404 })
    await expect(ask(person.principalId, query, stranger)).rejects.toMatchObject({ status: 404 })
    await expect(ask(serverAccount.id, { ...query, principalKind: 'ServiceAccount' })).rejects.toMatchObject({
      status: 404,
    })
  })

  test('a request without the permission to see rights, or without a tenant', async () => {
    await expect(
      account.effectivePermissions.get({ tenantId, params: { principalId: person.principalId }, query }),
    ).rejects.toMatchObject({ status: 401 })
    const path = `/api/v1/effective-permissions/${person.principalId}?principalKind=User&permissionName=device.read`
    expect((await owner.fetch(path)).status).toBe(400)
    expect((await owner.fetch('/api/v1/effective-permissions/query', { method: 'POST' })).status).toBe(404)
  })
})
