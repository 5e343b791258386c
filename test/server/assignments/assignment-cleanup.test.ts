import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { enroll, installerKey } from '../../support/agent.ts'
import { startRightsScene } from '../../support/rights-scene.ts'

const { server, owner, tenantId, things, newcomer, create } = await startRightsScene()
afterAll(() => server.stop())

const read = { permissionName: 'device.read' } as const

/** Stored rows that reference some ids, whoever holds them. */
async function rowsAbout(ids: readonly string[]) {
  let found: object[] = []
  await server.whileStopped(async (_, models) => {
    const rows = await models.PermissionAssignment.findAll()
    found = rows
      .map((row) => row.get({ plain: true }))
      .filter(({ principalId, scopeId }) => ids.includes(principalId) || ids.includes(scopeId ?? ''))
  })
  return found
}

const deletionsInLog = async () =>
  (
    await owner.authorizationChangeLogs.list({
      tenantId,
      query: { actionType: 'permission-assignment-deleted', pageSize: 200 },
    })
  ).items

test('the assignments of a user and its tokens are deleted with it', async () => {
  const person = await newcomer()
  const { personalAccessToken } = await owner.userPersonalAccessTokens.create({
    tenantId,
    params: { userId: person.principalId },
    body: { name: 'token', permissionMode: 'Restricted' },
  })
  const row = await create(owner, { ...person, ...read, scopeKind: 'Tenant' })
  const token = { principalKind: 'PersonalAccessToken', principalId: personalAccessToken.id } as const
  const ofToken = await create(owner, { ...token, ...read, scopeKind: 'Tenant' })
  await owner.users.delete({ tenantId, params: { userId: person.principalId } })
  const gone = (await deletionsInLog()).map(({ targetId, actorPrincipalId }) => [targetId, actorPrincipalId])
  expect(gone).toEqual(
    expect.arrayContaining([
      [row.id, owner.user.id],
      [ofToken.id, owner.user.id],
    ]),
  )
  expect(await rowsAbout([person.principalId, personalAccessToken.id])).toEqual([])
})

test('assignments on a device are deleted with it, and do not count when it is enrolled again', async () => {
  const person = await newcomer()
  const agent = await enroll(owner)
  await create(owner, { ...person, ...read, scopeKind: 'Device', scopeId: agent.id })
  await owner.devices.delete({ params: { deviceId: agent.id } })
  await agent.register(owner, await installerKey(owner))
  const query = { principalKind: 'User', ...read, scopeKind: 'Device', scopeId: agent.id } as const
  expect(
    await owner.effectivePermissions.get({ tenantId, params: { principalId: person.principalId }, query }),
  ).toMatchObject({ isAllowed: false })
  expect(await rowsAbout([agent.id])).toEqual([])
})

test('assignments on customers and groups, denies too, are deleted with them', async () => {
  const person = await newcomer()
  const { customer, deviceGroup, userGroup } = things
  await create(owner, { ...person, ...read, scopeKind: 'CustomerTenant', scopeId: customer })
  await create(owner, { ...person, ...read, scopeKind: 'DeviceGroup', scopeId: deviceGroup, effect: 'Deny' })
  await create(owner, {
    ...person,
    permissionName: 'user-group.assign-users',
    scopeKind: 'UserGroup',
    scopeId: userGroup,
  })
  await create(owner, { principalKind: 'UserGroup', principalId: userGroup, ...read, scopeKind: 'Tenant' })
  await owner.customers.delete({ tenantId, params: { customerId: customer } })
  await owner.deviceGroups.delete({ tenantId, params: { deviceGroupId: deviceGroup } })
  await owner.userGroups.delete({ tenantId, params: { userGroupId: userGroup } })
  expect(await rowsAbout([customer, deviceGroup, userGroup])).toEqual([])
})

test('assignments of a service account and of a tenant are deleted with them', async () => {
  const { tenantServiceAccounts } = owner
  const { id } = await tenantServiceAccounts.create({ params: { tenantId }, body: { name: randomUUID() } })
  await create(owner, { principalKind: 'ServiceAccount', principalId: id, ...read, scopeKind: 'Tenant' })
  await tenantServiceAccounts.delete({ params: { tenantId, serviceAccountId: id } })
  expect(await rowsAbout([id])).toEqual([])
  const visitor = await server.owner({ email: 'grace@example.org' })
  const again = await server.signIn()
  await again.tenants.delete({ params: { tenantId: visitor.tenantId } })
  expect(await rowsAbout([visitor.tenantId, visitor.user.id])).toEqual([])
})
