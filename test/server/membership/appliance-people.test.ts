import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { PermissionName } from '../../../shared/access.ts'
import { enroll } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { startGitHub } from '../../support/github-server.ts'
import { connectViewer } from '../../support/hub-client.ts'
import { providerSettings } from '../../support/identity-provider.ts'
import { addPasskey, pageMember, pageVisitor, signInWithPasskey } from '../../support/passkeys.ts'
import { addServerAccount, addUser, createUser, newAddress } from '../../support/people.ts'
import { account, integrator, startTestServer, type Member, type TestServer } from '../../support/server.ts'
import { appCode } from '../../support/totp.ts'

const clock = manualClock()
const atGitHub = { place: 'b' as const }
const { password } = account
let gitHub: Awaited<ReturnType<typeof startGitHub>>
let server: TestServer
let owner: Member
let tenantId: string

beforeAll(async () => {
  gitHub = await startGitHub({ id: 4711, login: 'grace', email: 'grace@example.com' })
  const settings = {
    ...providerSettings('B', gitHub.issuer, { Kind: 'GitHub' }),
    AppOptions__EnableInteractiveBearerLogin: 'true',
  }
  server = await startTestServer({ settings, clock })
  owner = await server.owner()
  tenantId = owner.tenantId
})
beforeEach(() => clock.advance(60_000))
afterAll(async () => {
  await server.stop()
  await gitHub.stop()
})

const at = (userId: string) => ({ tenantId, params: { userId } })
const disable = (by: Member, userId: string) => by.appliancePeople.disable(at(userId))
const enable = (by: Member, userId: string) => by.appliancePeople.enable(at(userId))
const list = (by: Member, query: Parameters<Member['appliancePeople']['list']>[0]['query'] = {}) =>
  by.appliancePeople.list({ tenantId, query })

/** Signed-in user with some permissions at the tenant. */
async function memberWith(...names: PermissionName[]) {
  const member = await addUser(server, owner)
  const assignments = names.map((permissionName) => ({
    permissionName,
    scopeKind: 'Tenant' as const,
    principalKind: 'User' as const,
    principalId: member.user.id,
  }))
  await owner.permissionAssignments.createBatch({ tenantId, body: { assignments } })
  return member
}

/** Query that GitHub sends the browser back with; it asks nothing. */
async function queryAt(url: string) {
  const { headers } = await fetch(url, { redirect: 'manual' })
  return new URL(headers.get('location')!).search.slice(1)
}

async function signInAtGitHub() {
  clock.advance(60_000)
  const visitor = pageVisitor(server)
  const { ticket, url } = await visitor.applianceIdentityProviders.begin({ params: atGitHub })
  const query = await queryAt(url)
  return {
    visitor,
    answer: await visitor.applianceIdentityProviders.answer({ params: atGitHub, body: { ticket, query } }),
  }
}

async function linkGitHub(member: Member) {
  const { ticket, url } = await member.applianceIdentityProviders.beginLink({ params: atGitHub })
  const query = await queryAt(url)
  await member.applianceIdentityProviders.link({ params: atGitHub, body: { ticket, query } })
}

const signIn = (email: string, secret = password, code?: string) =>
  server.visitor().applianceSession.signIn({ body: { email, password: secret, twoFactorCode: code } })

// First: later tests make further administrators of the server and the tenant.
test('the last administrator of the server is not disabled, deleted or demoted', async () => {
  const second = await addUser(server, owner, ['Tenant Administrator'])
  const query = { principalKind: 'User' as const, principalId: owner.user.id }
  const { items } = await owner.permissionAssignments.list({ tenantId, query })
  const { id: assignmentId } = items.find(({ permissionName }) => permissionName === 'server.permissions.write')!
  const endsAt = new Date(clock.now() + 60_000).toISOString()
  const acts: ((by: Member) => Promise<unknown>)[] = [
    (by) => by.appliancePeople.disable(at(owner.user.id)),
    (by) => by.users.delete(at(owner.user.id)),
    (by) => by.permissionAssignments.delete({ tenantId, params: { assignmentId } }),
    (by) => by.permissionAssignments.deleteBatch({ tenantId, body: { assignmentIds: [assignmentId] } }),
    (by) => by.applianceRights.change({ tenantId, body: { assignmentIds: [assignmentId], isEnabled: false } }),
    (by) => by.applianceRights.change({ tenantId, body: { assignmentIds: [assignmentId], endsAt } }),
  ]
  for (const [index, act] of acts.entries()) {
    const statuses = await Promise.all(
      [owner, second].map((by) =>
        act(by).then(
          () => 200,
          ({ status }) => status,
        ),
      ),
    )
    expect(statuses, String(index)).toEqual([expect.toBeOneOf([400, 409]), expect.toBeOneOf([200, 403, 404])])
  }
  // A batch leaves out what its caller does not see.
  const after = await owner.permissionAssignments.list({ tenantId, query })
  expect(after.items.find(({ id }) => id === assignmentId)).toMatchObject({ isEnabled: true })
  await owner.users.delete(at(second.user.id))
})

test('the last administrator of a tenant is not disabled or deleted', async () => {
  const program = await addServerAccount(owner)
  const refused = { status: 409, message: expect.stringContaining('Nobody else could administer this tenant') }
  await expect(program.appliancePeople.disable(at(owner.user.id))).rejects.toMatchObject(refused)
  await expect(program.users.delete(at(owner.user.id))).rejects.toMatchObject(refused)
  expect(await owner.auth.me({})).toMatchObject({ id: owner.user.id })
  const { id } = await createUser(owner, { password, presetNames: ['Tenant Administrator'] })
  await disable(owner, id)
  await expect(program.appliancePeople.disable(at(owner.user.id))).rejects.toMatchObject(refused)
})

describe('a disabled person', () => {
  test('loses sessions that began with a link to a device, and links that were not opened', async () => {
    const device = await enroll(owner)
    const { id } = await createUser(owner, { password })
    const link = async () => {
      const body = { tenantId, deviceId: device.id, userId: id }
      return (await owner.logonTokens.createForUser({ body })).deviceAccessUrl
    }
    const visitor = server.visitor()
    await visitor.openLink(await link())
    const unopened = await link()
    expect(await visitor.auth.me({})).toMatchObject({ id })
    const page = await connectViewer(visitor)
    await disable(owner, id)
    await page.closed
    await expect(visitor.auth.me({})).rejects.toMatchObject({ status: 401 })
    const other = server.visitor()
    await other.openLink(unopened)
    await expect(other.auth.me({})).rejects.toMatchObject({ status: 401 })
    await enable(owner, id)
    await expect(visitor.auth.me({})).rejects.toMatchObject({ status: 401 })
  })

  test('loses open pages, sessions, bearer tokens and access tokens at once, and gets the tokens back when enabled', async () => {
    const member = await addUser(server, owner, ['Tenant Administrator'])
    const { id, email } = member.user
    const { accessToken } = (await member.identity.login({ query: {}, body: { email, password } }))!
    const { plainTextToken } = await member.personalAccessTokens.create({ tenantId, body: { name: 'nightly' } })
    const headers = { 'x-personal-token': plainTextToken }
    const program = integrator(server.url, headers)
    const bearer = integrator(server.url, { authorization: `Bearer ${accessToken}` })
    const pages = [
      await connectViewer(member),
      await connectViewer(server.visitor(), { headers: { cookie: '', ...headers } }),
    ]
    await disable(owner, id)
    await Promise.all(pages.map(({ closed }) => closed))
    for (const client of [member, program, bearer]) {
      await expect(client.auth.me({})).rejects.toMatchObject({ status: 401 })
    }
    const disabled = (await list(owner, { show: 'disabled' })).items.find((person) => person.id === id)
    expect(disabled).toMatchObject({ disabledAt: new Date(clock.now()).toISOString(), hasPassword: true })
    await enable(owner, id)
    expect(await program.auth.me({})).toMatchObject({ id })
    expect(await signIn(email)).toMatchObject({ isDisabled: false, user: { id } })
  })

  test('gets the reason only after the right password', async () => {
    const { id, email } = await createUser(owner, { password })
    await disable(owner, id)
    const nothing = { isDisabled: false, isLockedOut: false, user: null }
    expect(await signIn(email, 'Wrong-Horse-7')).toEqual(await signIn(newAddress(), 'Wrong-Horse-7'))
    expect(await signIn(email, 'Wrong-Horse-7')).toMatchObject(nothing)
    expect(await signIn(email)).toMatchObject({ ...nothing, isDisabled: true })
    const body = { email, currentPassword: password, newPassword: 'Newer-Horse-8' }
    const change = server.visitor().auth.changePasswordWithCredentials({ body })
    await expect(change).rejects.toMatchObject({ status: 401, message: expect.stringContaining('disabled') })
    await expect(server.visitor().identity.login({ query: {}, body: { email, password } })).rejects.toMatchObject({
      status: 401,
      message: 'NotAllowed',
    })
    await expect(server.visitor().auth.interactiveLogin({ body: { email, password } })).rejects.toMatchObject({
      status: 401,
    })
  })

  test('with a second factor gets the reason only after the code', async () => {
    const member = await addUser(server, owner)
    const { id, email } = member.user
    const { sharedKey } = await member.applianceAccount.setUpTwoFactor({})
    await member.applianceAccount.enableTwoFactor({ body: { twoFactorCode: appCode(sharedKey, clock) } })
    await disable(owner, id)
    clock.advance(60_000)
    expect(await signIn(email)).toMatchObject({ requiresTwoFactor: true, isDisabled: false })
    expect(await signIn(email, password, '000000')).toMatchObject({ isDisabled: false, user: null })
    expect(await signIn(email, password, appCode(sharedKey, clock))).toMatchObject({ isDisabled: true, user: null })
  })

  test('cannot sign in with a passkey or a linked account, and gets the reason after the proof', async () => {
    const { id, email } = await createUser(owner, { password })
    const member = await pageMember(server, email)
    const { authenticator } = await addPasskey(member)
    await linkGitHub(member)
    await disable(owner, id)
    expect(await signInWithPasskey(pageVisitor(server), authenticator)).toMatchObject({ isDisabled: true, user: null })
    expect((await signInAtGitHub()).answer).toMatchObject({ isLinked: true, isDisabled: true, user: null })
    await enable(owner, id)
    expect((await signInAtGitHub()).answer).toMatchObject({ user: { id } })
    await owner.appliancePeople.removeOtherWaysIn(at(id))
    expect((await signInAtGitHub()).answer).toMatchObject({ isLinked: false })
  })

  test('cannot be disabled by its own user, or by a user with fewer rights', async () => {
    const helper = await memberWith('tenant.users.read', 'tenant.users.write')
    await expect(disable(helper, owner.user.id)).rejects.toMatchObject({ status: 403 })
    await expect(disable(owner, owner.user.id)).rejects.toMatchObject({ status: 400 })
  })

  test('an invited person is not disabled: the invitation is withdrawn instead', async () => {
    await owner.invites.create({ tenantId, body: { inviteeEmail: newAddress() } })
    const { items } = await list(owner, { show: 'invited' })
    await expect(disable(owner, items[0]!.id)).rejects.toMatchObject({ status: 409 })
  })
})

describe('other ways in', () => {
  test('of the caller are removed with a notice, and the sign-in that asks remains', async () => {
    const { user } = await memberWith('tenant.users.read', 'tenant.users.write')
    const page = await pageMember(server, user.email)
    await addPasskey(page, 'Own key')
    clock.advance(1_000)
    await page.appliancePeople.removeOtherWaysIn(at(user.id))
    expect(await page.auth.me({})).toMatchObject({ id: user.id })
    const other = await server.signIn({ email: user.email })
    expect((await other.applianceNotices.list({})).items[0]).toMatchObject({ kind: 'passkey-removed' })
  })

  test('are removed by users who may act as the person, and only if a password remains', async () => {
    const { id, email } = await createUser(owner, { password })
    const member = await pageMember(server, email)
    const { authenticator } = await addPasskey(member, 'Blue key')
    const reader = await memberWith('tenant.users.read')
    await expect(reader.appliancePeople.removeOtherWaysIn(at(id))).rejects.toMatchObject({ status: 403 })
    clock.advance(1_000)
    expect(await owner.appliancePeople.removeOtherWaysIn(at(id))).toEqual({ passkeys: 1, linkedAccounts: 0 })
    await expect(member.auth.me({})).rejects.toMatchObject({ status: 401 })
    await expect(signInWithPasskey(pageVisitor(server), authenticator)).rejects.toMatchObject({ status: 401 })
    const back = await server.signIn({ email })
    expect((await back.applianceNotices.list({})).items).toMatchObject([
      { kind: 'passkey-removed', subject: 'Blue key' },
      { kind: 'passkey-added' },
    ])
    const { id: withoutPassword } = await createUser(owner)
    await expect(owner.appliancePeople.removeOtherWaysIn(at(withoutPassword))).rejects.toMatchObject({ status: 409 })
  })
})

describe('sign-ins of a person', () => {
  test('are listed and ended by those who may change people', async () => {
    const member = await addUser(server, owner)
    await signIn(member.user.email)
    const reader = await memberWith('tenant.users.read')
    await expect(reader.appliancePeople.signIns(at(member.user.id))).rejects.toMatchObject({ status: 403 })
    const { items } = await owner.appliancePeople.signIns(at(member.user.id))
    expect(items).toMatchObject([{ kind: 'Browser', isCurrent: false }, { kind: 'Browser' }])
    const oldest = items.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt))[0]!
    const params = { userId: member.user.id, signInId: oldest.id }
    await owner.appliancePeople.endSignIn({ tenantId, params })
    await expect(member.auth.me({})).rejects.toMatchObject({ status: 401 })
    await expect(owner.appliancePeople.endSignIn({ tenantId, params })).rejects.toMatchObject({ status: 404 })
    expect(await owner.appliancePeople.endSignIns(at(member.user.id))).toEqual({ ended: 1 })
    const helper = await memberWith('tenant.users.write')
    await expect(helper.appliancePeople.signIns(at(owner.user.id))).rejects.toMatchObject({ status: 403 })
  })
})

describe('the list of people', () => {
  test('is paged, searched and filtered, and names roles and ways in', async () => {
    const member = await addUser(server, owner, ['Device Superuser'])
    const { id } = member.user
    await member.userPreferences.set({ tenantId, body: { name: 'user-display-name', value: 'Zoë' } })
    const { items, total, counts } = await list(owner, { text: 'ZOË' })
    expect({ total, all: counts.all > 5 }).toEqual({ total: 1, all: true })
    expect(items).toMatchObject([
      {
        id,
        name: 'Zoë',
        summary: [{ roles: ['Device Superuser', 'Self Service'], beyond: [], places: null }],
        hasPassword: true,
        passkeys: 0,
        providers: [],
      },
    ])
    const first = await list(owner, { take: 2 })
    const second = await list(owner, { skip: 2, take: 2 })
    expect(new Set([...first.items, ...second.items].map((person) => person.id)).size).toBe(4)
    expect((await list(owner, { text: account.email })).items).toMatchObject([
      {
        summary: [{ roles: ['Server Administrator', 'Tenant Administrator', 'Device Superuser'], beyond: [] }],
        lastSeenAt: expect.any(String),
      },
    ])
  })

  test('shows no rights to those who may not read them, and none of the server to readers of the tenant', async () => {
    const one = { text: account.email }
    const reader = await memberWith('tenant.users.read')
    expect((await list(reader, one)).items).toMatchObject([{ summary: null }])
    expect(await reader.appliancePeople.get(at(owner.user.id))).toMatchObject({
      rights: null,
      groups: null,
      beyond: null,
    })
    const ofTenant = await memberWith('tenant.users.read', 'tenant.permissions.read')
    expect((await list(ofTenant, one)).items).toMatchObject([
      { summary: [{ roles: ['Tenant Administrator', 'Device Superuser'] }] },
    ])
    const { rights } = await ofTenant.appliancePeople.get(at(owner.user.id))
    expect(rights?.filter(({ scopeKind }) => scopeKind === 'Server')).toEqual([])
    expect(JSON.stringify(rights)).not.toContain('"server.')
    const nobody = await addUser(server, owner)
    await expect(list(nobody)).rejects.toMatchObject({ status: 403 })
  })

  test('names places and groups only to those who may read these', async () => {
    const { id: groupId } = await owner.userGroups.create({ tenantId, body: { name: 'Night shift' } })
    const { id: deviceGroupId } = await owner.deviceGroups.create({ tenantId, body: { name: 'Vault' } })
    const { id } = await createUser(owner)
    await owner.userGroups.addMembers({ tenantId, params: { userGroupId: groupId }, body: { userIds: [id] } })
    await owner.permissionAssignments.create({
      tenantId,
      body: {
        principalKind: 'UserGroup',
        principalId: groupId,
        permissionName: 'device.read',
        scopeKind: 'DeviceGroup',
        scopeId: deviceGroupId,
      },
    })
    const { rights, groups } = await owner.appliancePeople.get(at(id))
    expect(groups).toEqual([{ id: groupId, name: 'Night shift' }])
    expect(rights).toMatchObject([
      { roles: ['Self Service'], scopeKind: 'Tenant' },
      { scopeKind: 'DeviceGroup', scopeName: 'Vault', group: { name: 'Night shift' }, permissions: ['device.read'] },
    ])
    const groupRights = await owner.appliancePeople.groupRights({ tenantId, params: { userGroupId: groupId } })
    expect(groupRights.rights).toMatchObject([{ scopeName: 'Vault', group: null }])
    expect((await list(owner, { groupId })).items).toMatchObject([
      {
        id,
        summary: [
          { roles: ['Self Service'], places: null },
          { roles: [], beyond: ['device.read'], places: 1 },
        ],
      },
    ])
    const reader = await memberWith('tenant.users.read', 'tenant.permissions.read')
    const seen = await reader.appliancePeople.get(at(id))
    expect(seen.rights).toMatchObject([{}, { scopeName: null, group: { name: null } }])
    expect(JSON.stringify(seen)).not.toMatch(/Vault|Night shift/)
    expect((await list(reader, { groupId })).total).toBe(0)
  })

  test('names what is deleted with an account, and the right that its change needs', async () => {
    const member = await addUser(server, owner, ['Tenant Administrator'])
    await member.personalAccessTokens.create({ tenantId, body: { name: 'nightly' } })
    const detail = await owner.appliancePeople.get(at(member.user.id))
    expect(detail).toMatchObject({ beyond: null, goesWith: { accessTokens: 1, signIns: 1, groups: 0, deviceLinks: 0 } })
    expect(detail.goesWith.rights).toBeGreaterThan(20)
    const helper = await memberWith('tenant.users.read', 'tenant.users.write')
    expect((await helper.appliancePeople.get(at(member.user.id))).beyond).toMatch(/^[a-z-]+\./)
    const unknown = '11111111-1111-4111-8111-111111111111'
    await expect(owner.appliancePeople.get(at(unknown))).rejects.toMatchObject({ status: 404 })
  })
})
