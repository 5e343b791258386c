import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { PresetName } from '../../../shared/access.ts'
import { manualClock } from '../../support/clock.ts'
import { buildUser } from '../../support/factories.ts'
import { connectViewer } from '../../support/hub-client.ts'
import { addMember, addUser, createUser, newAddress } from '../../support/people.ts'
import { integrator, ownerForFile, serverForFile, type Member } from '../../support/server.ts'

const unknownId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'

let stranger: Member

const clock = manualClock()
const server = serverForFile({ clock, settings: { AppOptions__EnablePublicRegistration: 'true' } })
const owner = ownerForFile(server)
beforeAll(async () => {
  stranger = await server.owner({ email: 'grace@example.org' })
})
// Resets the limit on sign-in attempts before each test.
beforeEach(() => clock.advance(60_000))

/** Creates a signed-in user of the owner's tenant. */
const join = (presetNames?: PresetName[]) => addUser(server, owner, presetNames)

const userNames = async () =>
  (await owner.users.list({ tenantId: owner.tenantId })).items.map(({ userName }) => userName)

const reset = (by: Member, userId: string) => by.users.resetPassword({ tenantId: by.tenantId, params: { userId } })

describe('resetting a password', () => {
  test('answers a temporary one that must be changed, and ends sessions and connections', async () => {
    const member = await join()
    const viewer = await connectViewer(member)
    const { temporaryPassword } = await reset(owner, member.user.id)
    expect(temporaryPassword).toMatch(/^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[a-zA-Z\d]{8}$/)
    await viewer.closed
    await expect(member.auth.me({})).rejects.toMatchObject({ status: 401 })
    const { email } = member.user
    await expect(server.signIn({ email })).rejects.toThrow('was not signed in')
    const change = { email, currentPassword: temporaryPassword, newPassword: 'Newer-Horse-8' }
    await server.visitor().auth.changePasswordWithCredentials({ body: change })
    expect((await server.signIn({ email, password: change.newPassword })).user.requirePasswordChange).toBe(false)
  })

  test('enables an account that had none or was locked', async () => {
    const { id, email } = await createUser(owner)
    for (let attempt = 0; attempt < 5; attempt++) {
      await server.visitor().applianceSession.signIn({ body: { email, password: 'Wrong-Horse-7' } })
    }
    const { temporaryPassword } = await reset(owner, id)
    const answer = await server.visitor().applianceSession.signIn({ body: { email, password: temporaryPassword } })
    expect(answer).toMatchObject({ isLockedOut: false, requiresPasswordChange: true, user: null })
  })

  test('needs the permission; a user of another tenant is 404', async () => {
    const [member, victim] = [await join(), await join()]
    await expect(reset(member, victim.user.id)).rejects.toMatchObject({ status: 403 })
    await expect(reset(stranger, victim.user.id)).rejects.toMatchObject({ status: 404 })
    await expect(reset(owner, unknownId)).rejects.toMatchObject({ status: 404 })
  })

  test('is refused for a user with more rights (T04)', async () => {
    const administrator = await join(['Tenant Administrator'])
    await expect(reset(administrator, owner.user.id)).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('server.'),
    })
    const helpDesk = await addMember(server, owner.tenantId, ['tenant.users.write'])
    const { id } = await createUser(owner)
    await expect(reset(helpDesk, administrator.user.id)).rejects.toMatchObject({ status: 403 })
    expect((await reset(helpDesk, id)).temporaryPassword).toHaveLength(8)
  })

  test('is refused for a token with fewer rights than its owner (T04)', async () => {
    const administrator = await join(['Tenant Administrator'])
    const { tenantId } = administrator
    const { plainTextToken } = await administrator.personalAccessTokens.create({
      tenantId,
      body: {
        name: 'help desk',
        permissionMode: 'Restricted',
        scopes: [{ permissionName: 'tenant.users.write', scopeKind: 'Tenant' }],
      },
    })
    const { users } = integrator(server.url, { 'x-personal-token': plainTextToken })
    const { id } = await createUser(owner)
    expect((await users.resetPassword({ tenantId, params: { userId: id } })).temporaryPassword).toHaveLength(8)
    const params = { userId: administrator.user.id }
    await expect(users.resetPassword({ tenantId, params })).rejects.toMatchObject({ status: 403 })
  })

  test('is refused for invited users and for users of logon tokens', async () => {
    const external = buildUser({ tenantId: owner.tenantId, accountType: 'External' })
    await server.write((models, transaction) => models.User.create(external, { transaction }))
    expect(await userNames()).toContain(external.userName)
    await expect(reset(owner, external.id)).rejects.toMatchObject({ status: 400 })
    const inviteeEmail = newAddress()
    await owner.invites.create({ tenantId: owner.tenantId, body: { inviteeEmail } })
    const { items } = await owner.users.list({ tenantId: owner.tenantId })
    const invited = items.find(({ email }) => email === inviteeEmail)!
    await expect(reset(owner, invited.id)).rejects.toMatchObject({ status: 409 })
  })
})
