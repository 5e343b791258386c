import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { presets, type PermissionName } from '../../shared/access.ts'
import { enroll, type TestAgent } from '../support/agent.ts'
import { addMember, addServerAccount, addTenantAccount, type Program } from '../support/people.ts'
import { integrator, ownerForFile, serverForFile, type Member } from '../support/server.ts'

/** Administers the tenant and grants rights, but may neither deny nor change the server. */
let manager: Member
/** Manages users, tokens and accounts, but grants no rights. */
let clerk: Member
/** Manages service accounts of the server, but grants no rights there. */
let keeper: Member
let agent: TestAgent
let unrestricted: Program
let restricted: Program
let tenantId: string

const onServer = (permissionName: PermissionName) => ({ permissionName, scopeKind: 'Server', scopeId: null }) as const
const clerical = [
  'tenant.users.read',
  'tenant.users.write',
  'tenant.user-groups.write',
  'user-group.assign-users',
  'personal-access-token.self.write',
  'personal-access-token.others.write',
  'service-account.read',
  'service-account.write',
  'service-account.rotate-credentials',
] as const

const server = serverForFile()
/** Holds every permission. */
const owner = ownerForFile(server)
beforeAll(async () => {
  tenantId = owner.tenantId
  agent = await enroll(owner)
  manager = await addMember(server, tenantId, [...clerical, 'tenant.permissions.read', 'tenant.permissions.write'])
  clerk = await addMember(server, tenantId, [...clerical, 'device.read', 'device.logon-token.create'])
  keeper = await addMember(server, tenantId, [
    onServer('server.service-accounts.read'),
    onServer('server.service-accounts.write'),
    onServer('server.service-accounts.rotate-credentials'),
    'tenant.permissions.write',
  ])
  unrestricted = await addServerAccount(owner, 'Unrestricted')
  restricted = await addServerAccount(owner, 'Restricted', [
    { permissionName: 'server.permissions.write', scopeKind: 'Server' },
  ])
})

let newcomers = 0
const newUser = (by: Member = owner, presetNames: (keyof typeof presets)[] = []) =>
  by.users.create({ tenantId, body: { userName: `new${++newcomers}@example.org`, presetNames } })

type Body = Parameters<Member['permissionAssignments']['create']>[0]['body']
const give = (by: Pick<Member, 'permissionAssignments'>, body: Body) =>
  by.permissionAssignments.create({ tenantId, body })
const self = (of: Member) => ({ principalKind: 'User', principalId: of.user.id }) as const
const refused = (attempt: Promise<unknown>, status = 403) => expect(attempt).rejects.toMatchObject({ status })

describe('assignments', () => {
  const rights: [string, Omit<Body, 'principalKind' | 'principalId'>][] = [
    ['a right on the server', { permissionName: 'server.permissions.write', scopeKind: 'Server' }],
    ['a deny', { permissionName: 'device.read', scopeKind: 'Tenant', effect: 'Deny' }],
    ['the right to deny', { permissionName: 'tenant.permissions.deny', scopeKind: 'Tenant' }],
  ]
  test.each(rights)(
    '%s cannot be given to oneself, a group or an account, nor by a change or in a batch',
    async (_, right) => {
      const { id: groupId } = await owner.userGroups.create({ tenantId, body: { name: randomUUID() } })
      await refused(give(manager, { ...self(manager), ...right }))
      await refused(give(manager, { principalKind: 'UserGroup', principalId: groupId, ...right }))
      await refused(give(manager, { principalKind: 'ServiceAccount', principalId: restricted.id, ...right }))
      const { permissionAssignments: api } = manager
      await refused(api.createBatch({ tenantId, body: { assignments: [{ ...self(manager), ...right }] } }))
      await refused(api.replace({ tenantId, body: { ...self(manager), assignments: [right] } }))
      const row = await give(manager, { ...self(manager), permissionName: 'device.wake.send', scopeKind: 'Tenant' })
      await refused(api.update({ tenantId, params: { assignmentId: row.id }, body: right }))
      await api.delete({ tenantId, params: { assignmentId: row.id } })
    },
  )

  test('nothing can be given without the permission to give rights', async () => {
    await refused(give(clerk, { ...self(clerk), permissionName: 'device.delete', scopeKind: 'Tenant' }))
    await refused(
      clerk.permissionAssignments.applyPresets({ tenantId, body: { ...self(clerk), presetNames: ['Self Service'] } }),
    )
  })

  test('a server service account can be given nothing by a principal that may only manage its keys', async () => {
    const body = { principalKind: 'ServiceAccount', principalId: restricted.id, permissionName: 'device.read' } as const
    await refused(give(keeper, { ...body, scopeKind: 'Tenant' }))
    await refused(give(keeper, { ...body, scopeKind: 'Server' }))
  })

  test('a restricted token of an owner with all rights cannot extend its own', async () => {
    const { personalAccessToken, plainTextToken } = await owner.personalAccessTokens.create({
      tenantId,
      body: { name: 'reader', scopes: [{ permissionName: 'tenant.permissions.read', scopeKind: 'Tenant' }] },
    })
    const program = integrator(server.url, { 'x-personal-token': plainTextToken })
    const principal = { principalKind: 'PersonalAccessToken', principalId: personalAccessToken.id } as const
    expect((await program.permissionAssignments.list({ tenantId, query: principal })).items).toHaveLength(1)
    await refused(give(program, { ...principal, permissionName: 'device.read', scopeKind: 'Tenant' }))
  })
})

describe('presets', () => {
  test.each(['Server Administrator', 'Tenant Administrator'] as const)(
    '%s cannot be given without its permissions, neither to an existing nor to a new user',
    async (name) => {
      await refused(
        manager.permissionAssignments.applyPresets({ tenantId, body: { ...self(manager), presetNames: [name] } }),
      )
      await refused(newUser(manager, [name]))
      await refused(newUser(manager, ['Agent Installer', name]))
    },
  )

  test('no preset can be given to a new user without the permission to give rights', async () => {
    for (const name of Object.keys(presets) as (keyof typeof presets)[]) {
      await refused(newUser(clerk, [name]))
    }
    const { permissions } = await newUser(clerk)
    expect(permissions).toEqual(presets['Self Service'].toSorted())
    expect((await newUser(manager, ['Device Superuser'])).permissions).toContain('device.terminal.use')
  })
})

describe('users', () => {
  test('an accepted invite gives Self Service only, whatever the waiting account was given meanwhile', async () => {
    const { inviteUrl } = await clerk.invites.create({ tenantId, body: { inviteeEmail: 'mallory@example.org' } })
    const { items } = await owner.users.list({ tenantId })
    const waiting = items.find(({ userName }) => userName === 'mallory@example.org')!
    expect(waiting.permissions).toEqual([])
    await give(manager, {
      principalKind: 'User',
      principalId: waiting.id,
      permissionName: 'device.delete',
      scopeKind: 'Tenant',
    })
    const body = {
      activationCode: inviteUrl.split('/').at(-1)!,
      email: 'mallory@example.org',
      password: 'Correct-Horse-8',
    }
    expect(await server.visitor().inviteAcceptance.accept({ body })).toMatchObject({ isSuccessful: true })
    const accepted = (await owner.users.list({ tenantId })).items.find(({ id }) => id === waiting.id)!
    expect(accepted.permissions).toEqual(presets['Self Service'].toSorted())
  })

  test('a principal cannot reset an account with more rights', async () => {
    await refused(clerk.users.resetPassword({ tenantId, params: { userId: owner.user.id } }))
    await refused(clerk.users.resetPassword({ tenantId, params: { userId: manager.user.id } }))
  })

  test('a user cannot join a group that holds rights on the server', async () => {
    const { id } = await owner.userGroups.create({ tenantId, body: { name: 'Server people' } })
    await give(owner, { principalKind: 'UserGroup', principalId: id, ...onServer('server.tenants.read') })
    const body = { userIds: [clerk.user.id] }
    await refused(clerk.userGroups.addMembers({ tenantId, params: { userGroupId: id }, body }))
  })
})

describe('personal access tokens', () => {
  test('are limited by their owner when they are used', async () => {
    const scopes = [{ permissionName: 'device.read', scopeKind: 'Tenant' }] as const
    const { plainTextToken } = await clerk.personalAccessTokens.create({ tenantId, body: { name: 'all' } })
    const restrictedToken = await clerk.personalAccessTokens.create({
      tenantId,
      body: { name: 'some', scopes: [...scopes] },
    })
    const params = { deviceId: agent.id }
    for (const token of [plainTextToken, restrictedToken.plainTextToken]) {
      const program = integrator(server.url, { 'x-personal-token': token })
      expect((await program.devices.get({ params })).id).toBe(agent.id)
      await refused(program.devices.delete({ params }))
    }
  })

  test('cannot be created with rights that their owner does not hold', async () => {
    const scopes = [{ permissionName: 'device.delete', scopeKind: 'Tenant' } as const]
    await refused(clerk.personalAccessTokens.create({ tenantId, body: { name: 'more', scopes } }))
  })

  test('cannot create less restricted tokens', async () => {
    const scopes = [{ permissionName: 'personal-access-token.self.write', scopeKind: 'Tenant' } as const]
    const { plainTextToken } = await clerk.personalAccessTokens.create({ tenantId, body: { name: 'maker', scopes } })
    const program = integrator(server.url, { 'x-personal-token': plainTextToken })
    await refused(
      program.personalAccessTokens.create({ tenantId, body: { name: 'free', permissionMode: 'InheritOwner' } }),
    )
    const more = [{ permissionName: 'device.read', scopeKind: 'Tenant' } as const]
    await refused(program.personalAccessTokens.create({ tenantId, body: { name: 'more', scopes: more } }))
  })

  test('cannot be created for users with more rights', async () => {
    const params = { userId: owner.user.id }
    await refused(clerk.userPersonalAccessTokens.create({ tenantId, params, body: { name: 'yours' } }))
  })
})

describe('logon tokens', () => {
  const asked = (by: Member, permissions?: 'device.read'[] | 'device.terminal.use'[]) =>
    by.logonTokens.createForExternalUser({
      body: { tenantId, deviceId: agent.id, userCorrelationId: 'helpdesk-7', ...(permissions && { permissions }) },
    })

  test('have no right that their creator does not hold on the device', async () => {
    await refused(asked(clerk, ['device.terminal.use']), 400)
    expect((await asked(clerk, ['device.read'])).token).toBeTruthy()
  })

  test('cannot be given more rights later, or on other devices', async () => {
    const { token } = await asked(clerk, ['device.read'])
    const hex = token.split(':')[0]!
    // Ids of keys are encoded in mixed-endian order.
    const order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15]
    const bytes = order
      .map((index) => hex.slice(index * 2, index * 2 + 2))
      .join('')
      .toLowerCase()
    const id = bytes.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    const principal = { principalKind: 'LogonToken', principalId: id } as const
    const { items } = await owner.permissionAssignments.list({ tenantId, query: principal })
    expect(items.map(({ permissionName, scopeId }) => [permissionName, scopeId])).toEqual([['device.read', agent.id]])
    const onDevice = { scopeKind: 'Device', scopeId: agent.id } as const
    await refused(give(owner, { ...principal, permissionName: 'device.terminal.use', ...onDevice }))
    await refused(give(owner, { ...principal, permissionName: 'device.read', scopeKind: 'Tenant' }), 400)
    const other = await enroll(owner)
    await refused(
      give(owner, { ...principal, permissionName: 'device.read', scopeKind: 'Device', scopeId: other.id }),
      400,
    )
  })
})

describe('service accounts', () => {
  test('cannot be created unrestricted without authority over the server', async () => {
    await refused(keeper.serverServiceAccounts.create({ body: { name: 'mine', accessMode: 'Unrestricted' } }))
    const { id } = await keeper.serverServiceAccounts.create({ body: { name: 'mine', accessMode: 'Restricted' } })
    const params = { serviceAccountId: id }
    const { plainTextSecretKey } = await keeper.serverServiceAccounts.createCredential({
      params,
      body: { name: 'key' },
    })
    const program = integrator(server.url, { 'x-api-key': plainTextSecretKey })
    await refused(program.devices.list({}))
  })

  test('cannot be given a key by a principal with fewer rights', async () => {
    for (const { id } of [unrestricted, restricted]) {
      const params = { serviceAccountId: id }
      await refused(keeper.serverServiceAccounts.createCredential({ params, body: { name: 'key' } }))
    }
    const giver = await addTenantAccount(owner, [{ permissionName: 'tenant.permissions.write', scopeKind: 'Tenant' }])
    const plain = await addTenantAccount(owner, [{ permissionName: 'device.read', scopeKind: 'Tenant' }])
    const key = (by: Member, { id }: Program) =>
      by.tenantServiceAccounts.createCredential({ params: { tenantId, serviceAccountId: id }, body: { name: 'key' } })
    await refused(key(clerk, giver))
    expect((await key(clerk, plain)).plainTextSecretKey).toBeTruthy()
    expect((await key(manager, giver)).plainTextSecretKey).toBeTruthy()
  })

  test('can renew their own keys, and unrestricted ones those of any account', async () => {
    const renewing = await addServerAccount(owner, 'Restricted', [
      onServer('server.service-accounts.rotate-credentials'),
      onServer('server.tenants.read'),
    ])
    const renew = (by: Program, of: Program) =>
      by.serverServiceAccounts.createCredential({ params: { serviceAccountId: of.id }, body: { name: 'next' } })
    expect((await renew(renewing, renewing)).plainTextSecretKey).toBeTruthy()
    await refused(renew(renewing, unrestricted))
    expect((await renew(unrestricted, restricted)).plainTextSecretKey).toBeTruthy()
  })

  test('that are restricted and without rights may do nothing, even where no permission is needed', async () => {
    const idle = await addServerAccount(owner, 'Restricted')
    await refused(idle.devices.list({}))
    await refused(idle.devices.get({ params: { deviceId: agent.id } }))
    await refused(idle.userServerSettings.fileUploadMaxSize({}))
    await refused(idle.tenants.list({}))
    await refused(idle.customers.list({ tenantId }))
  })

  test('that are restricted reach a tenant only when given the permission there', async () => {
    const program = await addServerAccount(owner, 'Restricted', [
      { permissionName: 'tenant.customers.read', scopeKind: 'Tenant' },
    ])
    expect((await program.customers.list({ tenantId })).items).toEqual([])
    const other = await owner.tenants.create({ body: { name: 'Elsewhere' } })
    await refused(program.customers.list({ tenantId: other.tenantId }))
    await refused(program.customers.create({ tenantId, body: { name: 'X' } }))
    expect((await program.devices.list({})).length).toBe(0)
  })
})
