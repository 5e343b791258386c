import { afterAll, describe, expect, test } from 'vitest'
import { addMember, addServerAccount } from '../../support/people.ts'
import { startRightsScene, type AssignmentBody } from '../../support/rights-scene.ts'
import type { Member } from '../../support/server.ts'

const {
  server,
  owner,
  tenantId,
  giver,
  auditor,
  stranger,
  tenantAccount,
  serverAccount,
  things,
  newcomer,
  create,
  listFor,
  rightsOf,
} = await startRightsScene()
afterAll(() => server.stop())

describe('a further permission', () => {
  const read = { permissionName: 'device.read', scopeKind: 'Tenant' } as const

  test.each<[string, () => Promise<AssignmentBody>]>([
    [
      'a right on the server',
      async () => ({ ...(await newcomer()), permissionName: 'server.tenants.read', scopeKind: 'Server' }),
    ],
    [
      'anything for a server service account',
      () => Promise.resolve({ principalKind: 'ServiceAccount', principalId: serverAccount.id, ...read }),
    ],
    ['a deny', async () => ({ ...(await newcomer()), ...read, effect: 'Deny' })],
    [
      'the permission to deny',
      async () => ({ ...(await newcomer()), permissionName: 'tenant.permissions.deny', scopeKind: 'Tenant' }),
    ],
  ])('is needed to give %s: 403, and then 201', async (_, bodyOf) => {
    const body = await bodyOf()
    await expect(create(giver, body)).rejects.toMatchObject({ status: 403 })
    const row = await create(owner, body)
    const params = { assignmentId: row.id }
    // Rows of the server are 404 for a principal that may not see them.
    const status = body.scopeKind === 'Server' ? 404 : 403
    await expect(
      giver.permissionAssignments.update({ tenantId, params, body: { ...body, isEnabled: false } }),
    ).rejects.toMatchObject({ status })
    await expect(giver.permissionAssignments.delete({ tenantId, params })).rejects.toMatchObject({ status })
    expect(await giver.permissionAssignments.deleteBatch({ tenantId, body: { assignmentIds: [row.id] } })).toEqual({
      successIds: [],
      failureIds: [row.id],
    })
    await owner.permissionAssignments.delete({ tenantId, params })
  })

  test('is needed to change an allow into a deny', async () => {
    const row = await create(giver, { ...(await newcomer()), ...read })
    const change = (by: Member) =>
      by.permissionAssignments.update({ tenantId, params: { assignmentId: row.id }, body: { ...read, effect: 'Deny' } })
    await expect(change(giver)).rejects.toMatchObject({ status: 403 })
    expect((await change(owner)).effect).toBe('Deny')
  })

  test('device permissions at the server can be given only to server service accounts', async () => {
    const everywhere = { permissionName: 'device.delete', scopeKind: 'Server' } as const
    const row = await create(owner, { principalKind: 'ServiceAccount', principalId: serverAccount.id, ...everywhere })
    expect(row.scopeId).toBeNull()
    const principal = { principalKind: 'ServiceAccount', principalId: tenantAccount.id } as const
    await expect(create(owner, { ...principal, ...everywhere })).rejects.toMatchObject({ status: 400 })
    // Denying the permission there is possible for every kind of principal.
    expect((await create(owner, { ...principal, ...everywhere, effect: 'Deny' })).effect).toBe('Deny')
  })

  test('a tenant service account can be given nothing on the server', async () => {
    const body: AssignmentBody = {
      principalKind: 'ServiceAccount',
      principalId: tenantAccount.id,
      permissionName: 'server.tenants.read',
      scopeKind: 'Server',
    }
    await expect(create(owner, body)).rejects.toMatchObject({ status: 400 })
  })

  test('a token can be given only what its owner holds', async () => {
    const created = await giver.permissionAssignments.list({
      tenantId,
      query: { principalKind: 'User', principalId: giver.user.id },
    })
    expect(created.items.length).toBeGreaterThan(0)
    const { personalAccessToken } = await owner.personalAccessTokens.create({
      tenantId,
      body: { name: 'token', permissionMode: 'Restricted' },
    })
    const principal = { principalKind: 'PersonalAccessToken', principalId: personalAccessToken.id } as const
    await create(giver, { ...principal, permissionName: 'device.read', scopeKind: 'Tenant' })
    const deny = await create(owner, {
      principalKind: 'User',
      principalId: owner.user.id,
      permissionName: 'device.wake.send',
      scopeKind: 'DeviceGroup',
      scopeId: things.deviceGroup,
      effect: 'Deny',
    })
    const wake: AssignmentBody = {
      ...principal,
      permissionName: 'device.wake.send',
      scopeKind: 'DeviceGroup',
      scopeId: things.deviceGroup,
    }
    await expect(create(giver, wake)).rejects.toMatchObject({ status: 403 })
    await owner.permissionAssignments.delete({ tenantId, params: { assignmentId: deny.id } })
    await create(giver, wake)
    expect(await rightsOf(principal)).toEqual(['device.read Allow Tenant', 'device.wake.send Allow DeviceGroup'])
  })
})

describe('assignments at the server', () => {
  test('are listed for principals that may read or write them', async () => {
    const person = await newcomer()
    await create(owner, { ...person, permissionName: 'server.telemetry.read', scopeKind: 'Server' })
    const namesFor = async (by: Member) => (await listFor(person, by)).map(({ permissionName }) => permissionName)
    expect(await namesFor(owner)).toContain('server.telemetry.read')
    expect(await namesFor(auditor)).toContain('server.telemetry.read')
    expect(await namesFor(giver)).not.toContain('server.telemetry.read')
  })

  test('of a user of another tenant are 404, except for a principal that may name that tenant', async () => {
    const program = await addServerAccount(owner, 'Unrestricted')
    const there = { tenantId: stranger.tenantId }
    const row = await program.permissionAssignments.create({
      ...there,
      body: {
        principalKind: 'User',
        principalId: stranger.user.id,
        permissionName: 'server.telemetry.read',
        scopeKind: 'Server',
      },
    })
    const params = { assignmentId: row.id }
    await expect(owner.permissionAssignments.delete({ tenantId, params })).rejects.toMatchObject({ status: 404 })
    await expect(owner.permissionAssignments.delete({ ...there, params })).rejects.toMatchObject({ status: 403 })
    await expect(stranger.permissionAssignments.delete({ ...there, params })).rejects.toMatchObject({ status: 404 })
    expect(
      await owner.permissionAssignments.deleteBatch({ tenantId, body: { assignmentIds: [row.id] } }),
    ).toMatchObject({ failureIds: [row.id] })
    await program.permissionAssignments.delete({ ...there, params })
  })
})

describe('users cannot remove their own administrative rights', () => {
  const guarded = ['tenant.permissions.write', 'tenant.permissions.deny', 'server.permissions.write'] as const
  const self = () => ({ principalKind: 'User', principalId: owner.user.id }) as const
  const rowOf = async (name: string) => (await listFor(self())).find(({ permissionName }) => permissionName === name)!

  test.each(guarded)('%s: not by deleting, disabling or changing the assignment', async (name) => {
    const { id, scopeKind, scopeId } = await rowOf(name)
    const params = { assignmentId: id }
    const row = { permissionName: name, scopeKind, scopeId }
    const { permissionAssignments: api } = owner
    const attempts = [
      () => api.delete({ tenantId, params }),
      () => api.deleteBatch({ tenantId, body: { assignmentIds: [id] } }),
      () => api.update({ tenantId, params, body: { ...row, isEnabled: false } }),
      () => api.update({ tenantId, params, body: { ...row, effect: 'Deny' } }),
      () =>
        api.update({
          tenantId,
          params,
          body: { permissionName: 'tenant.users.read', scopeKind: 'Tenant', effect: 'Deny' },
        }),
      () => create(owner, { ...self(), ...row, effect: 'Deny' }),
      () => api.createBatch({ tenantId, body: { assignments: [{ ...self(), ...row, effect: 'Deny' }] } }),
      () =>
        api.replace({
          tenantId,
          body: {
            ...self(),
            assignments: [
              { ...row, permissionName: scopeKind === 'Server' ? 'server.tenants.read' : 'tenant.users.read' },
            ],
          },
        }),
    ]
    for (const attempt of attempts) {
      await expect(attempt()).rejects.toMatchObject({ status: 400, message: expect.stringContaining('from yourself') })
    }
    expect((await rowOf(name)).isEnabled).toBe(true)
  })

  test('not by replacing the assignment with presets', async () => {
    const body = { ...self(), presetNames: ['Self Service' as const], replaceExisting: true }
    await expect(owner.permissionAssignments.applyPresets({ tenantId, body })).rejects.toMatchObject({ status: 400 })
  })

  test('not by changing what a group of theirs is given or denied', async () => {
    const { id: groupId } = await owner.userGroups.create({ tenantId, body: { name: 'Rulers' } })
    const group = { principalKind: 'UserGroup', principalId: groupId } as const
    const ruler = await addMember(server, tenantId, ['tenant.permissions.read'])
    const write = await create(owner, { ...group, permissionName: 'tenant.permissions.write', scopeKind: 'Tenant' })
    const deny = await create(owner, { ...group, permissionName: 'tenant.permissions.deny', scopeKind: 'Tenant' })
    const inGroup = { tenantId, params: { userGroupId: groupId }, body: { userIds: [ruler.user.id] } }
    await owner.userGroups.addMembers(inGroup)
    for (const { id } of [write, deny]) {
      await expect(
        ruler.permissionAssignments.delete({ tenantId, params: { assignmentId: id } }),
      ).rejects.toMatchObject({ status: 400 })
    }
    const denial: AssignmentBody = {
      ...group,
      permissionName: 'tenant.permissions.write',
      scopeKind: 'Tenant',
      effect: 'Deny',
    }
    await expect(create(ruler, denial)).rejects.toMatchObject({ status: 400 })
    // With two equal rights, either may be removed.
    await create(owner, {
      principalKind: 'User',
      principalId: ruler.user.id,
      permissionName: 'tenant.permissions.write',
      scopeKind: 'Tenant',
    })
    await ruler.permissionAssignments.delete({ tenantId, params: { assignmentId: write.id } })
    // Other users may remove the last right.
    await owner.permissionAssignments.delete({ tenantId, params: { assignmentId: deny.id } })
  })
})
