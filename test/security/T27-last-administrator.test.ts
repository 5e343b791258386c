import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { asUser } from '../support/grants.ts'
import { isNight, runs } from '../support/night.ts'
import { addServerAccount, addTenantAccount, addUser, createUser } from '../support/people.ts'
import { account, integrator, useTestServer, type Member, type TestServer } from '../support/server.ts'

const lastOne = {
  status: 409,
  problem: { detail: expect.stringContaining('Nobody else could administer this tenant') },
}
const atTenant = { permissionName: 'tenant.permissions.write', scopeKind: 'Tenant' } as const

/** Tenant with its owner as the only administrator, and a program with all rights on the server. */
async function tenant() {
  const server = await useTestServer()
  const owner = await server.owner()
  const program = await addServerAccount(owner)
  return { server, owner, tenantId: owner.tenantId, program }
}
const remove = (by: Pick<Member, 'users'>, tenantId: string, userId: string) =>
  by.users.delete({ tenantId, params: { userId } })

test('the last administrator of a tenant cannot be deleted, nor lose the permission in any way', async () => {
  const { owner, tenantId, program } = await tenant()
  const { permissionAssignments: api, userGroups } = program
  const self = asUser(owner.user.id)
  const row = (await api.list({ tenantId, query: self })).items.find(
    ({ permissionName }) => permissionName === atTenant.permissionName,
  )!
  const params = { assignmentId: row.id }

  await expect(remove(program, tenantId, owner.user.id)).rejects.toMatchObject(lastOne)
  await expect(api.delete({ tenantId, params })).rejects.toMatchObject(lastOne)
  await expect(api.deleteBatch({ tenantId, body: { assignmentIds: [row.id] } })).rejects.toMatchObject(lastOne)
  await expect(api.update({ tenantId, params, body: { ...atTenant, isEnabled: false } })).rejects.toMatchObject(lastOne)
  await expect(api.create({ tenantId, body: { ...self, ...atTenant, effect: 'Deny' } })).rejects.toMatchObject(lastOne)
  const tags = { permissionName: 'tenant.tags.write', scopeKind: 'Tenant' } as const
  await expect(api.replace({ tenantId, body: { ...self, assignments: [tags] } })).rejects.toMatchObject(lastOne)
  await expect(
    api.applyPresets({ tenantId, body: { ...self, presetNames: ['Self Service'], replaceExisting: true } }),
  ).rejects.toMatchObject(lastOne)

  const denied = await userGroups.create({ tenantId, body: { name: 'Denied' } })
  const ofDenied = { principalKind: 'UserGroup', principalId: denied.id, ...atTenant, effect: 'Deny' } as const
  await api.create({ tenantId, body: ofDenied })
  await expect(
    userGroups.addMembers({ tenantId, params: { userGroupId: denied.id }, body: { userIds: [owner.user.id] } }),
  ).rejects.toMatchObject(lastOne)
})

test('an administrator through a group cannot leave it, nor lose the group, while there is no other', async () => {
  const { owner, tenantId, program } = await tenant()
  const { permissionAssignments: api, userGroups } = program
  const { id: userGroupId } = await userGroups.create({ tenantId, body: { name: 'Administrators' } })
  await api.create({ tenantId, body: { principalKind: 'UserGroup', principalId: userGroupId, ...atTenant } })
  const params = { userGroupId }
  const body = { userIds: [owner.user.id] }
  await userGroups.addMembers({ tenantId, params, body })
  const rows = (await api.list({ tenantId, query: asUser(owner.user.id) })).items
  const direct = rows.find(({ permissionName }) => permissionName === atTenant.permissionName)!
  await api.delete({ tenantId, params: { assignmentId: direct.id } })

  await expect(userGroups.removeMembers({ tenantId, params, body })).rejects.toMatchObject(lastOne)
  await expect(userGroups.delete({ tenantId, params })).rejects.toMatchObject(lastOne)
  const [ofGroup] = (await api.list({ tenantId, query: { principalKind: 'UserGroup', principalId: userGroupId } }))
    .items
  await expect(api.delete({ tenantId, params: { assignmentId: ofGroup!.id } })).rejects.toMatchObject(lastOne)
})

test('users who cannot sign in, or hold the permission from a token or for a limited time, are not counted as administrators', async () => {
  const { server, owner, tenantId, program } = await tenant()
  const { permissionAssignments: api } = program
  const give = (
    principalKind: 'User' | 'ServiceAccount',
    principalId: string,
    by: Pick<Member, 'permissionAssignments'> = program,
  ) => by.permissionAssignments.create({ tenantId, body: { principalKind, principalId, ...atTenant } })

  const withoutPassword = await createUser(owner)
  await give('User', withoutPassword.id)
  await owner.invites.create({ tenantId, body: { inviteeEmail: 'invited@example.org' } })
  const invited = (await owner.users.list({ tenantId })).items.find(({ email }) => email === 'invited@example.org')!
  await give('User', invited.id)
  const disabled = await addTenantAccount(owner, [atTenant])
  const accountParams = { tenantId, serviceAccountId: disabled.id }
  await program.tenantServiceAccounts.update({ params: accountParams, body: { name: 'off', isEnabled: false } })
  const { id: serviceAccountId } = await owner.tenantServiceAccounts.create({
    params: { tenantId },
    body: { name: randomUUID() },
  })
  await give('ServiceAccount', serviceAccountId)
  const expiresAt = new Date(Date.now() + 60_000).toISOString()
  await owner.tenantServiceAccounts.createCredential({
    params: { tenantId, serviceAccountId },
    body: { name: 'for a minute', expiresAt },
  })
  const { plainTextToken } = await owner.personalAccessTokens.create({
    tenantId,
    body: { name: 'giver', scopes: [atTenant] },
  })
  const byToken = await createUser(owner, { password: account.password })
  await give('User', byToken.id, integrator(server.url, { 'x-personal-token': plainTextToken }))

  await expect(remove(program, tenantId, owner.user.id)).rejects.toMatchObject(lastOne)
  await program.users.resetPassword({ tenantId, params: { userId: withoutPassword.id } })
  await remove(program, tenantId, owner.user.id)
  await expect(api.list({ tenantId, query: asUser(owner.user.id) })).rejects.toMatchObject({ status: 404 })
})

test('a service account with a key without expiration can be the last: neither the account nor its key can be disabled or deleted', async () => {
  const { owner, tenantId, program } = await tenant()
  const last = await addTenantAccount(owner, [atTenant])
  const { tenantServiceAccounts: api } = program
  await remove(program, tenantId, owner.user.id)
  const params = { tenantId, serviceAccountId: last.id }
  await expect(api.update({ params, body: { name: 'off', isEnabled: false } })).rejects.toMatchObject(lastOne)
  await expect(api.delete({ params })).rejects.toMatchObject(lastOne)
  const key = { params: { ...params, credentialId: last.credentialId } }
  await expect(api.revokeCredential(key)).rejects.toMatchObject(lastOne)
  await api.createCredential({ params, body: { name: 'next' } })
  await api.revokeCredential(key)
})

/** Adds a signed-in administrator to the tenant. */
const addAdministrator = (server: TestServer, by: Member) => addUser(server, by, ['Tenant Administrator'])

test('two administrators delete each other at the same moment, and one remains, in every round', async () => {
  const { server, owner, tenantId, program } = await tenant()
  let one = await addAdministrator(server, owner)
  await remove(program, tenantId, owner.user.id)
  for (let round = 0; round < runs(3); round++) {
    const two = await addAdministrator(server, one)
    const results = await Promise.allSettled([remove(one, tenantId, two.user.id), remove(two, tenantId, one.user.id)])
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const { items } = await program.users.list({ tenantId })
    expect(items).toHaveLength(1)
    one = items[0]!.id === one.user.id ? one : two
  }
})

test.runIf(isNight)(
  'three administrators delete each other in a circle, and no deleted one deletes another',
  async () => {
    const { server, owner, tenantId, program } = await tenant()
    for (let round = 0; round < 4; round++) {
      const people = [
        await addAdministrator(server, owner),
        await addAdministrator(server, owner),
        await addAdministrator(server, owner),
      ]
      const results = await Promise.allSettled(
        people.map((by, index) => remove(by, tenantId, people[(index + 1) % 3]!.user.id)),
      )
      // Depending on the order, the first prevents the next, or the third deletes the first.
      expect(results.filter(({ status }) => status === 'fulfilled').length).toBeLessThan(3)
      const left = (await program.users.list({ tenantId })).items.map(({ id }) => id)
      const deleted = people.filter(({ user }) => !left.includes(user.id))
      expect(deleted.length).toBe(results.filter(({ status }) => status === 'fulfilled').length)
      await Promise.all(left.filter((id) => id !== owner.user.id).map((id) => remove(owner, tenantId, id)))
    }
  },
)
