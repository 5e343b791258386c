import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { presets, type PresetName } from '../../../shared/access.ts'
import { manualClock } from '../../support/clock.ts'
import { buildUser } from '../../support/factories.ts'
import { connectViewer } from '../../support/hub-client.ts'
import { linkIn, useMailServer } from '../../support/mail.ts'
import { isNight } from '../../support/night.ts'
import { addMember, addServerAccount, addUser, createUser, newAddress, type NewUser } from '../../support/people.ts'
import { account, integrator, ownerForFile, serverForFile, useTestServer, type Member } from '../../support/server.ts'
import { changesOf, stored } from '../../support/stored.ts'

const unknownId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const { password } = account

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

const namesIn = (...names: PresetName[]) =>
  [...new Set(names.flatMap((name): string[] => [...presets[name]]))].toSorted()

const userNames = async () =>
  (await owner.users.list({ tenantId: owner.tenantId })).items.map(({ userName }) => userName)

describe('creating a user', () => {
  test('answers the user, who can sign in with only Self Service', async () => {
    const email = newAddress()
    const response = await owner.fetch(`/api/v1/users?tenantId=${owner.tenantId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ userName: email.toUpperCase(), Password: password }),
    })
    expect([response.status, response.headers.get('location')]).toEqual([
      201,
      `/api/v1/users?tenantId=${owner.tenantId}`,
    ])
    const user = await response.json()
    expect(user).toEqual({
      id: expect.any(String),
      userName: email,
      email,
      createdAt: new Date(clock.now()).toISOString(),
      permissions: namesIn('Self Service'),
      displayName: null,
    })
    const member = await server.signIn({ email })
    expect(member.tenantId).toBe(owner.tenantId)
    expect((await member.applianceStatus.permissions({})).items.toSorted()).toEqual(namesIn('Self Service'))
    expect((await owner.users.list({ tenantId: owner.tenantId })).items).toContainEqual(user)
  })

  test('uses the address as account name, and the user name as address when none is given', async () => {
    const email = newAddress()
    expect(await createUser(owner, { userName: 'Charles', email: ` ${email.toUpperCase()} ` })).toMatchObject({
      userName: email,
      email,
    })
  })

  test('without a password creates an account that cannot sign in', async () => {
    const { email } = await createUser(owner)
    const attempts = ['', password].map((tried) =>
      server.visitor().applianceSession.signIn({ body: { email, password: tried || 'x' } }),
    )
    for (const { user } of await Promise.all(attempts)) {
      expect(user).toBeNull()
    }
  })

  test('gives the requested presets, and logs the actor', async () => {
    const { id, permissions } = await createUser(owner, {
      presetNames: ['Agent Installer', 'Self Service', 'Agent Installer'],
    })
    expect(permissions).toEqual(namesIn('Agent Installer', 'Self Service'))
    expect(await changesOf(server, id)).toEqual([
      {
        action: 'permission-assignments-seeded',
        actor: owner.user.id,
        before: null,
        after: expect.objectContaining({ presetNames: ['Self Service', 'Agent Installer'] }),
      },
    ])
  })

  test.each<[NewUser, string]>([
    [{ userName: undefined }, 'userName'],
    [{ userName: ' ' }, 'userName'],
    [{ userName: 'no-address' }, 'userName'],
    [{ userName: `${'x'.repeat(250)}@example.org` }, 'userName'],
    [{ email: 'no-address' }, 'email'],
    [{ password: 'Short-7' }, 'password'],
    [{ password: 'no-upper-case-7' }, 'password'],
    [{ password: `Aa1${'x'.repeat(98)}` }, 'password'],
    [{ presetNames: ['Root'] }, 'presetNames.0'],
  ])('%j is refused', async (body, field) => {
    await expect(createUser(owner, body)).rejects.toMatchObject({
      status: 400,
      problem: { errors: { [field]: expect.any(Array) } },
    })
  })

  test('with an address in use is refused, in any letter case and tenant', async () => {
    const { email } = await createUser(owner)
    await expect(createUser(stranger, { userName: email.toUpperCase() })).rejects.toMatchObject({
      status: 400,
      problem: { errors: { userName: ['is already taken'] } },
    })
    await expect(createUser(owner, { email })).rejects.toMatchObject({
      problem: { errors: { email: ['is already taken'] } },
    })
  })

  test.runIf(isNight)(
    'with a shared e-mail address is allowed by configuration, but never with the name of another account',
    async () => {
      const own = await useTestServer()
      const first = await own.owner()
      const email = newAddress()
      await own.write((models, transaction) =>
        models.User.create(buildUser({ tenantId: first.tenantId, email }), { transaction }),
      )
      await expect(createUser(first, { email })).rejects.toMatchObject({ status: 400 })
      own.settings['AppOptions__RequireUserUniqueEmail'] = 'false'
      await own.restart()
      expect(await createUser(first, { email })).toMatchObject({ userName: email })
      await expect(createUser(first, { email })).rejects.toMatchObject({ status: 400 })
    },
  )

  test('many times at once with one address succeeds once', async () => {
    const userName = newAddress()
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => createUser(owner, { userName })))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('needs the permission in the named tenant', async () => {
    const [reader, administrator] = [await join(), await join(['Tenant Administrator'])]
    await expect(createUser(reader)).rejects.toMatchObject({ status: 403 })
    const { tenantId } = stranger
    const body = { userName: newAddress() }
    await expect(administrator.users.create({ tenantId, body })).rejects.toMatchObject({ status: 403 })
  })

  test('is possible for a server account in any existing tenant', async () => {
    const integration = await addServerAccount(owner)
    const { email } = await integration.users.create({
      tenantId: stranger.tenantId,
      body: { userName: newAddress(), password },
    })
    expect((await server.signIn({ email })).tenantId).toBe(stranger.tenantId)
    await expect(
      integration.users.create({ tenantId: unknownId, body: { userName: newAddress() } }),
    ).rejects.toMatchObject({ status: 404 })
  })

  test('is refused when addresses must be confirmed but no mail is sent', async () => {
    const silent = await useTestServer()
    const first = await silent.owner()
    const settings = { AppOptions__RequireUserEmailConfirmation: 'true', AppOptions__DisableEmailSending: 'true' }
    Object.assign(silent.settings, settings)
    await silent.restart()
    await expect(createUser(first)).rejects.toMatchObject({
      status: 400,
      problem: { detail: 'This server asks for confirmed addresses but sends no e-mail: nobody can be added.' },
    })
  })
})

test('when addresses must be confirmed, a new user can sign in after opening the mailed link', async () => {
  const mail = await useMailServer()
  const settings = { ...mail.settings, AppOptions__RequireUserEmailConfirmation: 'true' }
  const strict = await useTestServer()
  const first = await strict.owner()
  Object.assign(strict.settings, settings)
  await strict.restart()
  const { email } = await createUser(first, { password })
  await expect(strict.signIn({ email })).rejects.toThrow('was not signed in')
  const { pathname, search } = linkIn(await mail.next(email))
  await strict.visitor().fetch(pathname + search)
  await strict.signIn({ email })
})

describe('giving presets (T04)', () => {
  test.each<[PresetName, PresetName[], number]>([
    ['Agent Installer', ['Tenant Administrator'], 201],
    ['Tenant Administrator', ['Tenant Administrator'], 201],
    ['Server Administrator', ['Tenant Administrator'], 403],
    ['Server Administrator', ['Tenant Administrator', 'Server Administrator'], 201],
  ])('%s by somebody with %j is %i', async (preset, held, status) => {
    const member = await join(held)
    const given = await createUser(member, { presetNames: [preset] }).then(
      () => 201,
      (error: { status: number }) => error.status,
    )
    expect(given).toBe(status)
  })

  test('without the permission to give rights is refused, and the user is not created', async () => {
    const member = await addMember(server, owner.tenantId, ['tenant.users.write'])
    const userName = newAddress()
    await expect(createUser(member, { userName, presetNames: ['Agent Installer'] })).rejects.toMatchObject({
      status: 403,
    })
    expect(await userNames()).not.toContain(userName)
    expect((await createUser(member, { userName })).permissions).toEqual(namesIn('Self Service'))
  })
})

describe('the list of users', () => {
  test('has the users of the tenant sorted by name, with their display names', async () => {
    const member = await join()
    await member.userPreferences.set({
      tenantId: owner.tenantId,
      body: { name: 'user-display-name', value: 'Charles B' },
    })
    const { items } = await owner.users.list({ tenantId: owner.tenantId })
    expect(items.find(({ id }) => id === member.user.id)?.displayName).toBe('Charles B')
    const names = items.map(({ userName }) => userName)
    expect(names).toEqual(names.toSorted())
    expect(names).toContain(account.email)
    expect(names).not.toContain(stranger.user.email)
  })

  test('needs the permission to read users of that tenant', async () => {
    const member = await join()
    await expect(member.users.list({ tenantId: owner.tenantId })).rejects.toMatchObject({ status: 403 })
    await expect(stranger.users.list({ tenantId: owner.tenantId })).rejects.toMatchObject({ status: 403 })
  })
})

const remove = (by: Member, userId: string) => by.users.delete({ tenantId: by.tenantId, params: { userId } })

describe('deleting a user', () => {
  test('ends sessions, tokens and live connections, and deletes the rights', async () => {
    const member = await join(['Tenant Administrator'])
    const { plainTextToken } = await member.personalAccessTokens.create({
      tenantId: owner.tenantId,
      body: { name: 'script' },
    })
    const script = integrator(server.url, { 'x-personal-token': plainTextToken })
    const byToken = await connectViewer(server.visitor(), { headers: { 'x-personal-token': plainTextToken } })
    const viewer = await connectViewer(member)
    expect((await script.users.list({ tenantId: owner.tenantId })).items.length).toBeGreaterThan(0)
    await remove(owner, member.user.id)
    await Promise.all([viewer.closed, byToken.closed])
    await expect(member.auth.me({})).rejects.toMatchObject({ status: 401 })
    await expect(script.users.list({ tenantId: owner.tenantId })).rejects.toMatchObject({ status: 401 })
    expect(await userNames()).not.toContain(member.user.email)
    const sql = 'SELECT * FROM permission_assignments WHERE principalId = ?'
    expect(await stored(server, sql, [member.user.id])).toEqual([])
    await expect(server.signIn({ email: member.user.email })).rejects.toThrow('was not signed in')
    await expect(remove(owner, member.user.id)).rejects.toMatchObject({ status: 404 })
  })

  test('is refused for the own account', async () => {
    await expect(remove(owner, owner.user.id)).rejects.toMatchObject({ status: 400 })
  })

  test('needs the permission; a user of another tenant is 404', async () => {
    const [member, victim] = [await join(), await join()]
    await expect(remove(member, victim.user.id)).rejects.toMatchObject({ status: 403 })
    await expect(remove(stranger, victim.user.id)).rejects.toMatchObject({
      status: 404,
      problem: { detail: 'User not found.' },
    })
    await expect(remove(owner, unknownId)).rejects.toMatchObject({ status: 404 })
  })

  test('is forbidden between users with rights on the server and users without', async () => {
    const own = await useTestServer()
    const first = await own.owner()
    const { email } = await createUser(first, { password, presetNames: ['Tenant Administrator'] })
    const administrator = await own.signIn({ email })
    await expect(remove(administrator, first.user.id)).rejects.toMatchObject({ status: 403 })
    expect((await first.auth.me({})).email).toBe(account.email)
    const integration = await addServerAccount(first)
    await integration.users.delete({ tenantId: first.tenantId, params: { userId: first.user.id } })
    await expect(first.auth.me({})).rejects.toMatchObject({ status: 401 })
  })
})
