import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { manualClock } from '../../support/clock.ts'
import { addMember, addUser } from '../../support/people.ts'
import { account, serverForFile, type Member } from '../../support/server.ts'

const clock = manualClock()
const server = serverForFile({ clock })
let owner: Member
let tenantId: string
beforeAll(async () => {
  owner = await server.owner()
  tenantId = owner.tenantId
})
beforeEach(() => clock.advance(60_000))

const at = (userId: string) => ({ tenantId, params: { userId } })
const list = (by: Member, query: Parameters<Member['appliancePeople']['list']>[0]['query'] = {}) =>
  by.appliancePeople.list({ tenantId, query })

describe('a new person', () => {
  const startAt = async () => {
    const { id: scopeId } = await owner.customers.create({ tenantId, body: { name: randomUUID() } })
    const { id: groupId } = await owner.userGroups.create({ tenantId, body: { name: randomUUID() } })
    const scopes = [{ scopeKind: 'CustomerTenant' as const, scopeId }]
    return { roles: ['Technician' as const, 'Agent Installer' as const], scopes, groupIds: [groupId] }
  }
  const summary = [
    { roles: ['Agent Installer', 'Self Service'], beyond: [], places: null },
    { roles: ['Technician'], beyond: [], places: 1 },
  ]

  test('begins with roles, places and groups, and with a temporary password', async () => {
    const email = `${randomUUID()}@example.org`
    const start = await startAt()
    const { id, temporaryPassword } = await owner.appliancePeople.create({ tenantId, body: { email, start } })
    expect(await owner.appliancePeople.get(at(id))).toMatchObject({ summary, groups: [{ id: start.groupIds[0] }] })
    const { requiresPasswordChange } = await server
      .visitor()
      .applianceSession.signIn({ body: { email, password: temporaryPassword! } })
    expect(requiresPasswordChange).toBe(true)
  })

  test('is invited with roles and groups, which stay at the acceptance, and what others gave does not', async () => {
    const inviteeEmail = `${randomUUID()}@example.org`
    const start = await startAt()
    const { inviteUrl } = await owner.appliancePeople.invite({ tenantId, body: { inviteeEmail, start } })
    const [pending] = (await list(owner, { text: inviteeEmail, show: 'invited' })).items
    const { id } = pending!
    const grant = { principals: [{ principalKind: 'User' as const, principalId: id }], role: 'Helper' as const }
    await owner.applianceRights.grant({ tenantId, body: { ...grant, scopes: [{ scopeKind: 'Tenant' }] } })
    const body = { activationCode: inviteUrl.split(/[/#]/).at(-1)!, email: inviteeEmail, password: 'Babbage-Engine-2' }
    expect(await server.visitor().inviteAcceptance.accept({ body })).toMatchObject({ isSuccessful: true })
    expect(await owner.appliancePeople.get(at(id))).toMatchObject({ summary, groups: [{ id: start.groupIds[0] }] })
  })

  test('gets only what the administrator may give, and otherwise nothing is stored', async () => {
    const helper = await addMember(server, tenantId, ['tenant.users.read', 'tenant.users.write'])
    const { total } = await list(owner)
    const { roles, scopes, groupIds } = await startAt()
    const start = { roles: [], scopes: [], groupIds: [] }
    const wrong: [Member, typeof start | Awaited<ReturnType<typeof startAt>>, number][] = [
      [helper, { ...start, roles, scopes }, 403],
      [helper, { ...start, groupIds }, 403],
      [owner, { ...start, roles }, 400],
      [owner, { ...start, groupIds: [randomUUID()] }, 404],
    ]
    for (const [by, given, status] of wrong) {
      const email = `${randomUUID()}@example.org`
      const creating = by.appliancePeople.create({ tenantId, body: { email, start: given } })
      await expect(creating).rejects.toMatchObject({ status })
      const inviting = by.appliancePeople.invite({ tenantId, body: { inviteeEmail: email, start: given } })
      await expect(inviting).rejects.toMatchObject({ status })
    }
    expect((await list(owner)).total).toBe(total)
  })
})

test('a locked person is shown, and signs in at once after being unlocked', async () => {
  const member = await addUser(server, owner)
  const { id, email } = member.user
  const signIn = (password: string) => server.visitor().applianceSession.signIn({ body: { email, password } })
  for (let failures = 0; failures < 5; failures++) {
    await signIn('Wrong-Horse-7')
  }
  expect(await signIn(account.password)).toMatchObject({ isLockedOut: true, user: null })
  expect((await owner.appliancePeople.get(at(id))).lockedUntil).toEqual(expect.any(String))
  await owner.appliancePeople.unlock(at(id))
  expect((await owner.appliancePeople.get(at(id))).lockedUntil).toBeNull()
  expect((await signIn(account.password)).user).toMatchObject({ id })
  const reader = await addMember(server, tenantId, ['tenant.users.read'])
  await expect(reader.appliancePeople.unlock(at(id))).rejects.toMatchObject({ status: 403 })
})

test('names a person by the chosen name, with the address where another has the same name', async () => {
  const [first, second] = [await addUser(server, owner), await addUser(server, owner)]
  const call = (member: Member, value: string) =>
    member.userPreferences.set({ tenantId, body: { name: 'user-display-name', value } })
  const named = async ({ user }: Member) => (await owner.appliancePeople.get(at(user.id))).name
  await call(first, 'Mia Weber')
  expect(await named(first)).toBe('Mia Weber')
  await call(second, 'ＭＩＡ  weber')
  expect(await named(first)).toBe(`Mia Weber (${first.user.userName})`)
  expect(await named(second)).toBe(`ＭＩＡ  weber (${second.user.userName})`)
  await call(second, 'Ada')
  expect(await named(first)).toBe('Mia Weber')
  const query = { person: first.user.id }
  const [event] = (await owner.applianceAuditLog.list({ tenantId, query })).items
  expect(event).toMatchObject({
    actorName: first.user.userName,
    sentence: expect.stringMatching(`^Mia Weber \\(${first.user.userName}\\) `),
  })
  const rights = { kind: 'change.permission-assignment-created', person: owner.user.id }
  const body = { principals: [{ principalKind: 'User' as const, principalId: first.user.id }], role: 'Reader' as const }
  await owner.applianceRights.grant({ tenantId, body: { ...body, scopes: [{ scopeKind: 'Tenant' }] } })
  const [given] = (await owner.applianceAuditLog.list({ tenantId, query: rights })).items
  expect(given!.sentence).toContain(`Mia Weber (${first.user.userName})`)
  const { items } = await owner.applianceRights.find({ tenantId, query: { kind: 'Principal', text: 'mia w' } })
  expect(items).toMatchObject([{ id: first.user.id, name: 'Mia Weber' }])
  const byAddress = { kind: 'Principal', text: first.user.userName } as const
  expect((await owner.applianceRights.find({ tenantId, query: byAddress })).items).toContainEqual(items[0])
})
