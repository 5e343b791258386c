import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { PermissionName } from '../../shared/access.ts'
import { some } from '../support/night.ts'
import { addMember, addTenantAccount, createUser } from '../support/people.ts'
import { account, integrator, ownerForFile, serverForFile, type Member } from '../support/server.ts'
import { statusOf } from '../support/statuses.ts'

let tenantId: string
/** Holds exactly the permissions for each way of acting as another user. */
let clerk: Member
/** Holds the clerk's permissions, and manages customers. */
let colleague: Member
/** Holds the clerk's permissions, and grants rights in the tenant. */
let giver: Member

const interfacePermissions: PermissionName[] = [
  'tenant.users.write',
  'tenant.users.delete',
  'personal-access-token.others.write',
  'service-account.rotate-credentials',
  'service-account.write',
  'user-group.assign-users',
]

const server = serverForFile()
/** Holds every permission. */
const owner = ownerForFile(server)
beforeAll(async () => {
  tenantId = owner.tenantId
  clerk = await addMember(server, tenantId, interfacePermissions)
  colleague = await addMember(server, tenantId, [...interfacePermissions, 'tenant.customers.write'])
  giver = await addMember(server, tenantId, [...interfacePermissions, 'tenant.permissions.write'])
})

type Scope = Pick<Parameters<Member['permissionAssignments']['create']>[0]['body'], 'permissionName' | 'scopeKind'>
const give = (principalKind: 'User' | 'UserGroup' | 'ServiceAccount', principalId: string, scopes: readonly Scope[]) =>
  Promise.all(
    scopes.map((scope) =>
      owner.permissionAssignments.create({ tenantId, body: { principalKind, principalId, ...scope } }),
    ),
  )
const toScope = (grant: PermissionName): Scope => ({
  permissionName: grant,
  scopeKind: grant.startsWith('server.') ? 'Server' : 'Tenant',
})

/** Creates a user with some permissions. */
async function newUser(permissions: readonly PermissionName[]): Promise<string> {
  const { id } = await createUser(owner)
  await give('User', id, permissions.map(toScope))
  return id
}

/** Creates a service account with some permissions. */
async function newAccount(permissions: readonly PermissionName[]) {
  const { id } = await addTenantAccount(owner)
  await give('ServiceAccount', id, permissions.map(toScope))
  return { tenantId, serviceAccountId: id }
}

/** Ways of acting as a user who holds some permissions. */
const ways: [string, (by: Member, permissions: readonly PermissionName[]) => Promise<unknown>][] = [
  [
    'resetting a password',
    async (by, permissions) => by.users.resetPassword({ tenantId, params: { userId: await newUser(permissions) } }),
  ],
  [
    'making a token for another',
    async (by, permissions) =>
      by.userPersonalAccessTokens.create({
        tenantId,
        params: { userId: await newUser(permissions) },
        body: { name: 'theirs' },
      }),
  ],
  [
    'making a restricted token for another',
    async (by, permissions) =>
      by.userPersonalAccessTokens.create({
        tenantId,
        params: { userId: await newUser(permissions) },
        body: { name: 'theirs', permissionMode: 'Restricted' },
      }),
  ],
  [
    'making a key of a service account',
    async (by, permissions) =>
      by.tenantServiceAccounts.createCredential({ params: await newAccount(permissions), body: { name: 'next' } }),
  ],
  [
    'disabling a service account',
    async (by, permissions) =>
      by.tenantServiceAccounts.update({
        params: await newAccount(permissions),
        body: { name: randomUUID(), isEnabled: false },
      }),
  ],
  [
    'deleting a service account',
    async (by, permissions) => by.tenantServiceAccounts.delete({ params: await newAccount(permissions) }),
  ],
  [
    'adding to a group',
    async (by, permissions) => {
      const { id } = await owner.userGroups.create({ tenantId, body: { name: randomUUID() } })
      await give('UserGroup', id, permissions.map(toScope))
      return by.userGroups.addMembers({
        tenantId,
        params: { userGroupId: id },
        body: { userIds: [await newUser([])] },
      })
    },
  ],
  [
    'deleting a user',
    async (by, permissions) => by.users.delete({ tenantId, params: { userId: await newUser(permissions) } }),
  ],
]

describe.each(ways)('%s', (name, act) => {
  test.each(some(['tenant.customers.write', 'installer-key.write', 'agent.install', 'tenant.tags.write'] as const, 4))(
    'is refused where %s would come with it, which the actor does not hold',
    async (permission) => {
      expect(await statusOf(act(clerk, [permission]))).toBe(403)
    },
  )

  test('needs no more than its permission where the actor manages as much, or only devices come with it', async () => {
    expect(await statusOf(act(colleague, ['tenant.customers.write']))).toBe(200)
    expect(await statusOf(act(clerk, ['device.terminal.use', 'device.delete']))).toBe(200)
  })

  test.skipIf(name.endsWith('a service account'))(
    'reaches everybody of the tenant but those with rights on the server, by who gives rights there',
    async () => {
      expect(await statusOf(act(giver, ['tenant.customers.write', 'tenant.permissions.deny']))).toBe(200)
      expect(await statusOf(act(giver, ['server.tenants.read']))).toBe(403)
      expect(await statusOf(act(owner, ['server.tenants.read']))).toBe(200)
    },
  )
})

test('rights on one group count, and a denial that only the actor has', async () => {
  const { id: groupId } = await owner.userGroups.create({ tenantId, body: { name: randomUUID() } })
  const atGroup = { permissionName: 'user-group.assign-users', scopeKind: 'UserGroup', scopeId: groupId } as const
  const target = await createUser(owner)
  await owner.permissionAssignments.create({
    tenantId,
    body: { principalKind: 'User', principalId: target.id, ...atGroup },
  })
  const reset = (by: Member) => statusOf(by.users.resetPassword({ tenantId, params: { userId: target.id } }))
  const without = await addMember(server, tenantId, ['tenant.users.write'])
  const denied = await addMember(server, tenantId, [
    'tenant.users.write',
    'user-group.assign-users',
    { ...atGroup, effect: 'Deny' },
  ])
  expect([await reset(without), await reset(denied), await reset(clerk)]).toEqual([403, 403, 200])
})

test('a right that is disabled, or denied as a whole, is not held', async () => {
  const target = await createUser(owner)
  const row = { principalKind: 'User', principalId: target.id, ...toScope('tenant.customers.write') } as const
  await owner.permissionAssignments.create({ tenantId, body: { ...row, isEnabled: false } })
  const reset = () => statusOf(clerk.users.resetPassword({ tenantId, params: { userId: target.id } }))
  expect(await reset()).toBe(200)
})

describe('acting as another user', () => {
  const changes = async () => (await owner.authorizationChangeLogs.list({ tenantId, query: { pageSize: 20 } })).items

  /** Creates a user with a password, and a function that reads as this user after a sign-in. */
  async function person(presetNames: 'Device Superuser'[] = []) {
    const { id, email } = await createUser(owner, { password: account.password, presetNames })
    const signIn = (password?: string) => server.signIn({ email, ...(password !== undefined && { password }) })
    return { id, signIn }
  }

  test('is logged with the actor, and reported to the person at the next sign-in until dismissed', async () => {
    const { id, signIn } = await person()
    const { userGroups } = owner
    const chosen = { name: 'user-display-name', value: 'Clara Clerk' }
    await clerk.userPreferences.set({ tenantId: owner.tenantId, body: chosen })
    const group = await userGroups.create({ tenantId, body: { name: 'Night shift' } })
    const params = { userId: id }
    await clerk.userPersonalAccessTokens.create({ tenantId, params, body: { name: 'Inventory' } })
    await clerk.userGroups.addMembers({ tenantId, params: { userGroupId: group.id }, body: { userIds: [id] } })

    const member = await signIn()
    const { items } = await member.applianceNotices.list({})
    const byName = 'Clara Clerk'
    expect(items).toEqual([
      expect.objectContaining({ kind: 'added-to-group', byName, subject: 'Night shift' }),
      expect.objectContaining({ kind: 'access-token-created', byName, subject: 'Inventory' }),
    ])
    await member.applianceNotices.dismiss({ body: { noticeIds: items.map((notice) => notice.id) } })
    expect(await member.applianceNotices.list({})).toEqual({ items: [] })

    const { temporaryPassword } = await clerk.users.resetPassword({ tenantId, params })
    const anew = server.visitor()
    const newPassword = 'Other-Horse-9'
    const body = { email: member.user.email, currentPassword: temporaryPassword, newPassword }
    await anew.auth.changePasswordWithCredentials({ body })
    const told = (await (await signIn(newPassword)).applianceNotices.list({})).items
    expect(told).toEqual([
      expect.objectContaining({ kind: 'password-changed', byName: member.user.email, subject: null }),
      expect.objectContaining({ kind: 'password-reset', byName, subject: null }),
    ])
    expect((await changes())[0]).toMatchObject({
      actionType: 'user-password-reset',
      actorPrincipalId: clerk.user.id,
      targetId: id,
    })
    await clerk.users.delete({ tenantId, params })
    expect((await changes()).find(({ actionType }) => actionType === 'user-deleted')).toMatchObject({
      actorPrincipalId: clerk.user.id,
      targetId: id,
    })
  })

  test("is reported beside the user's own changes, and cannot be hidden by the token that was made", async () => {
    const { id, signIn } = await person()
    const { plainTextToken } = await clerk.userPersonalAccessTokens.create({
      tenantId,
      params: { userId: id },
      body: { name: 'Stolen' },
    })
    const member = await signIn()
    await member.personalAccessTokens.create({ tenantId, body: { name: 'my own' } })
    const again = await signIn()
    const { items } = await again.applianceNotices.list({})
    expect(items.map(({ kind, subject }) => [kind, subject])).toEqual([
      ['own-token-created', 'my own'],
      ['access-token-created', 'Stolen'],
    ])
    const token = integrator(server.url, { 'x-personal-token': plainTextToken })
    const noticeIds = items.map((notice) => notice.id)
    expect(await statusOf(token.applianceNotices.list({}))).toBe(403)
    expect(await statusOf(token.applianceNotices.dismiss({ body: { noticeIds } }))).toBe(403)
    await clerk.applianceNotices.dismiss({ body: { noticeIds } })
    expect((await again.applianceNotices.list({})).items).toHaveLength(2)
  })

  test('keeps the newest notices of each kind: many of one hide none of another', async () => {
    const { id, signIn } = await person()
    const body = { userIds: [id] }
    await clerk.userPersonalAccessTokens.create({ tenantId, params: { userId: id }, body: { name: 'first' } })
    const { id: userGroupId } = await owner.userGroups.create({ tenantId, body: { name: randomUUID() } })
    for (let round = 0; round < 21; round++) {
      await clerk.userGroups.addMembers({ tenantId, params: { userGroupId }, body })
      await clerk.userGroups.removeMembers({ tenantId, params: { userGroupId }, body })
    }
    const { items } = await (await signIn()).applianceNotices.list({})
    expect(items.filter(({ kind }) => kind === 'added-to-group')).toHaveLength(20)
    expect(items.filter(({ kind }) => kind === 'access-token-created')).toHaveLength(1)
  })
})

test('the text of a permission names what it grants beyond its name', async () => {
  const { permissionTexts } = await import('../../shared/permission-texts.ts')
  for (const name of ['tenant.users.write', 'personal-access-token.others.write', 'user-group.assign-users'] as const) {
    expect(permissionTexts[name].description).toMatch(/on devices too/)
    expect(permissionTexts[name].description).toMatch(/gets a notice/)
  }
})
