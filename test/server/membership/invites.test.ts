import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { presets } from '../../../shared/access.ts'
import { manualClock } from '../../support/clock.ts'
import { addMember, addServerAccount } from '../../support/people.ts'
import { freePort } from '../../../tools/simulate/free-port.ts'
import { card } from '../../support/network.ts'
import { rawRequest } from '../../support/raw-request.ts'
import { account, serverForFile, useTestServer, type Member, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const unknownId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const password = 'Babbage-Engine-2'

let owner: Member
let stranger: Member

const clock = manualClock()
const server = serverForFile({ clock, settings: { AppOptions__EnablePublicRegistration: 'true' } })
beforeAll(async () => {
  owner = await server.owner()
  stranger = await server.owner({ email: 'grace@example.org' })
})
// Resets the limit on attempts before each test.
beforeEach(() => clock.advance(60_000))

const address = () => `${randomUUID()}@example.org`

const invite = (by: Member, inviteeEmail = address()) =>
  by.invites.create({ tenantId: by.tenantId, body: { inviteeEmail } })

const codeIn = (inviteUrl: string) => inviteUrl.split('/').at(-1)!

const accept = (email: string, activationCode: string, chosen = password, visitor = server.visitor()) =>
  visitor.inviteAcceptance.accept({ body: { activationCode, email, password: chosen } })

const list = async (by: Member) => (await by.invites.list({ tenantId: by.tenantId })).items

test('a link made on loopback names the address that the network is served at, and says so where it is not served', async () => {
  const machine = { readInterfaces: () => ({ eth0: card('192.0.2.10') }) }
  const served = await useTestServer({ machine })
  const host = await served.owner()
  const port = await freePort()
  const unserved = await invite(host)
  expect(unserved.inviteUrlNotice).toContain('only on the computer that the server runs on')
  await host.applianceNetwork.set({ body: { isServed: true, port, names: ['farhand.test'] } })
  const { inviteUrl, inviteUrlNotice } = await invite(host)
  expect(inviteUrlNotice).toBeUndefined()
  expect(inviteUrl).toMatch(new RegExp(`^https://farhand\\.test:${port}/invite-confirmation/[\\w-]{36}\\.[\\w-]{86}$`))
  expect((await list(host)).map((each) => each.inviteUrl)).toEqual(
    [1, 2].map(() => `https://farhand.test:${port}/invite-confirmation`),
  )
})

describe('inviting', () => {
  test('answers the link to pass on, which the list does not show again', async () => {
    const email = address()
    const response = await owner.fetch(`/api/v1/invites?tenantId=${owner.tenantId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ inviteeEmail: ` ${email.toUpperCase()} ` }),
    })
    expect([response.status, response.headers.get('location')]).toEqual([
      201,
      `/api/v1/invites?tenantId=${owner.tenantId}`,
    ])
    const created = await response.json()
    expect(created).toEqual({
      id: expect.any(String),
      createdAt: new Date(clock.now()).toISOString(),
      inviteeEmail: email,
      inviteUrl: expect.stringMatching(new RegExp(`^${server.url}/invite-confirmation/[\\w-]{36}\\.[\\w-]{86}$`)),
      inviteUrlNotice: expect.any(String),
    })
    expect(await list(owner)).toContainEqual({ ...created, inviteUrl: `${server.url}/invite-confirmation` })
    expect(await list(stranger)).toEqual([])
  })

  test.each([undefined, '', 'no-address', `${'x'.repeat(250)}@example.org`])('%j is refused', async (inviteeEmail) => {
    const body = { inviteeEmail: inviteeEmail as string }
    await expect(owner.invites.create({ tenantId: owner.tenantId, body })).rejects.toMatchObject({
      status: 400,
      problem: { errors: { inviteeEmail: expect.any(Array) } },
    })
  })

  test('an address that the tenant has already invited or has an account of is 409 with its id, and one of another tenant is free', async () => {
    const email = address()
    const { id } = await invite(owner, email)
    const existing = (existingId: string) => ({ status: 409, problem: { code: 'already-exists', existingId } })
    await expect(invite(owner, email.toUpperCase())).rejects.toMatchObject(existing(id))
    await expect(invite(owner, account.email)).rejects.toMatchObject(existing(owner.user.id))
    expect(await invite(owner, 'grace@example.org')).toMatchObject({ inviteeEmail: 'grace@example.org' })
    expect(await invite(stranger, email)).toMatchObject({ inviteeEmail: email })
  })

  test('does not let the invited user sign in before the invite is accepted', async () => {
    const { inviteeEmail } = await invite(owner)
    const body = { email: inviteeEmail, password }
    expect(await server.visitor().applianceSession.signIn({ body })).toMatchObject({ user: null })
  })

  test('needs the permission; who may only read sees no code', async () => {
    const { id, inviteUrl } = await invite(owner)
    const reader = await addMember(server, owner.tenantId, ['tenant.users.read'])
    await expect(invite(reader)).rejects.toMatchObject({ status: 403 })
    const seen = (await list(reader)).find((item) => item.id === id)!
    expect(seen.inviteUrl).toBe(`${server.url}/invite-confirmation`)
    expect(JSON.stringify(await list(reader))).not.toContain(codeIn(inviteUrl))
    const deletion = { tenantId: owner.tenantId, params: { inviteId: id } }
    await expect(reader.invites.delete(deletion)).rejects.toMatchObject({ status: 403 })
    await expect(stranger.invites.list({ tenantId: owner.tenantId })).rejects.toMatchObject({ status: 403 })
  })

  test('a server account invites into a tenant that exists', async () => {
    const integration = await addServerAccount(owner)
    const body = { inviteeEmail: address() }
    expect(await integration.invites.create({ tenantId: stranger.tenantId, body })).toMatchObject(body)
    await expect(
      integration.invites.create({ tenantId: unknownId, body: { inviteeEmail: address() } }),
    ).rejects.toMatchObject({ status: 404 })
  })
})

describe('an invite', () => {
  const week = 7 * 24 * 60 * 60 * 1000

  test('is stored without its code', async () => {
    const { id, inviteUrl } = await invite(owner)
    const [row] = await server.rows('SELECT * FROM invites WHERE id = ?', id)
    expect(row).toMatchObject({ id })
    expect(JSON.stringify(row)).not.toContain(codeIn(inviteUrl))
  })

  test('is accepted for seven days', async () => {
    const [early, late] = [await invite(owner), await invite(owner)]
    clock.advance(week - 1)
    expect(await accept(early.inviteeEmail, codeIn(early.inviteUrl))).toMatchObject({ isSuccessful: true })
    clock.advance(1)
    const refused = await accept(late.inviteeEmail, codeIn(late.inviteUrl))
    expect(refused).toEqual({ isSuccessful: false, errorMessage: expect.stringContaining('older than 7 days') })
    owner = await server.signIn()
    stranger = await server.signIn({ email: 'grace@example.org' })
  })

  test('that has expired is removed with the user waiting for it, and the address can be invited again', async () => {
    const own = await useTestServer({ clock })
    const { tenantId } = await own.owner()
    const { inviteeEmail } = await invite(await own.signIn())
    const people = () => own.rows<{ email: string }>('SELECT email FROM users ORDER BY createdAt')
    expect(await people()).toHaveLength(2)
    clock.advance(week)
    await until(async () => (await people()).length === 1)
    const again = await own.signIn()
    expect((await again.invites.list({ tenantId })).items).toEqual([])
    await invite(again, inviteeEmail)
    owner = await server.signIn()
    stranger = await server.signIn({ email: 'grace@example.org' })
  })
})

describe('deleting an invite', () => {
  test('removes it with the user waiting for it', async () => {
    const { id, inviteeEmail, inviteUrl } = await invite(owner)
    const input = { tenantId: owner.tenantId, params: { inviteId: id } }
    const names = async () => (await owner.users.list({ tenantId: owner.tenantId })).items.map(({ email }) => email)
    expect(await names()).toContain(inviteeEmail)
    await owner.invites.delete(input)
    expect(await names()).not.toContain(inviteeEmail)
    expect((await accept(inviteeEmail, codeIn(inviteUrl))).isSuccessful).toBe(false)
    await expect(owner.invites.delete(input)).rejects.toMatchObject({ status: 404 })
    // The address is free again.
    await invite(stranger, inviteeEmail)
  })

  test('that is unknown or of another tenant is 404', async () => {
    const { id } = await invite(stranger)
    for (const inviteId of [id, unknownId]) {
      await expect(owner.invites.delete({ tenantId: owner.tenantId, params: { inviteId } })).rejects.toMatchObject({
        status: 404,
        problem: { detail: 'Invite not found.' },
      })
    }
    expect((await list(stranger)).map((item) => item.id)).toContain(id)
  })
})

describe('accepting', () => {
  test('signs the invited user in with Self Service, and uses the invite up', async () => {
    const { id, inviteeEmail, inviteUrl } = await invite(owner)
    const visitor = server.visitor()
    expect(await accept(inviteeEmail.toUpperCase(), codeIn(inviteUrl), password, visitor)).toEqual({
      isSuccessful: true,
      errorMessage: null,
    })
    expect(await visitor.auth.me({})).toMatchObject({ email: inviteeEmail, tenantId: owner.tenantId })
    const { items } = await visitor.applianceStatus.permissions({})
    expect(items.toSorted()).toEqual([...presets['Self Service']].toSorted())
    expect((await list(owner)).map((item) => item.id)).not.toContain(id)
    await server.signIn({ email: inviteeEmail, password })
    expect((await accept(inviteeEmail, codeIn(inviteUrl))).isSuccessful).toBe(false)
    await server.signIn({ email: inviteeEmail, password })
  })

  test('removes what the waiting account was given before', async () => {
    const { inviteeEmail, inviteUrl } = await invite(owner)
    const { items } = await owner.users.list({ tenantId: owner.tenantId })
    const { id } = items.find(({ email }) => email === inviteeEmail)!
    const group = await owner.userGroups.create({ tenantId: owner.tenantId, body: { name: randomUUID() } })
    await owner.userGroups.addMembers({
      tenantId: owner.tenantId,
      params: { userGroupId: group.id },
      body: { userIds: [id] },
    })
    await owner.permissionAssignments.applyPresets({
      tenantId: owner.tenantId,
      body: { principalKind: 'User', principalId: id, presetNames: ['Tenant Administrator'] },
    })
    const tokens = { tenantId: owner.tenantId, params: { userId: id } }
    await owner.userPersonalAccessTokens.create({ ...tokens, body: { name: 'early' } })
    const visitor = server.visitor()
    await accept(inviteeEmail, codeIn(inviteUrl), password, visitor)
    expect(await owner.userPersonalAccessTokens.list(tokens)).toMatchObject({ items: [] })
    expect((await visitor.applianceStatus.permissions({})).items).toHaveLength(presets['Self Service'].length)
    const { members } = await owner.userGroups.get({ tenantId: owner.tenantId, params: { userGroupId: group.id } })
    expect(members).toEqual([])
  })

  test('reports a wrong code, another address or a weak password in its answer', async () => {
    const [{ inviteeEmail, inviteUrl }, other] = [await invite(owner), await invite(owner)]
    const code = codeIn(inviteUrl)
    const visitor = server.visitor()
    const unknown = await accept(inviteeEmail, 'x'.repeat(86), password, visitor)
    expect(unknown).toEqual({ isSuccessful: false, errorMessage: expect.stringContaining('Ask for a new one.') })
    for (const email of [other.inviteeEmail, 'nobody@example.org', account.email]) {
      expect(await accept(email, code, password, visitor)).toEqual(unknown)
    }
    for (const weak of ['', 'Short-7', 'no-upper-case-7', `Aa1${'x'.repeat(98)}`]) {
      expect(await accept(inviteeEmail, code, weak, visitor)).toEqual({
        isSuccessful: false,
        errorMessage: expect.stringMatching(/^The password must .*\.$/),
      })
    }
    expect(visitor.cookie).toBeUndefined()
    expect((await accept(inviteeEmail, code, password, visitor)).isSuccessful).toBe(true)
  })

  test('without the required members is 400', async () => {
    for (const body of [{}, { activationCode: 'x', email: 'x' }, { email: 'x', password: 'x' }]) {
      await expect(server.visitor().inviteAcceptance.accept({ body: body as never })).rejects.toMatchObject({
        status: 400,
      })
    }
  })

  test('many times at once succeeds once', async () => {
    const { inviteeEmail, inviteUrl } = await invite(owner)
    const answers = await Promise.all(Array.from({ length: 5 }, () => accept(inviteeEmail, codeIn(inviteUrl))))
    expect(answers.filter(({ isSuccessful }) => isSuccessful)).toHaveLength(1)
  })

  test('is limited to twenty attempts a minute', async () => {
    const statuses = []
    for (let attempt = 0; attempt < 21; attempt++) {
      statuses.push(
        await accept('nobody@example.org', 'x').then(
          () => 200,
          ({ status }: { status: number }) => status,
        ),
      )
    }
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429])
  })
})

describe('the link (T22)', () => {
  const linkFor = async (target: TestServer, host: string) => {
    const { cookie, tenantId } = await target.signIn()
    const { text } = await rawRequest(target.url, `/api/v1/invites?tenantId=${tenantId}`, {
      method: 'POST',
      headers: {
        host,
        origin: `http://${host}`,
        cookie: cookie!,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ inviteeEmail: address() }),
    })
    return (JSON.parse(text) as { inviteUrl?: string }).inviteUrl?.replace(/\/[\w-]{36}\.[\w-]{86}$/, '/CODE')
  }

  test('starts with the configured address, whatever host was requested', async () => {
    const own = await useTestServer({ settings: { Branding__PublicUrl: 'https://farhand.example/' } })
    await own.owner()
    const { host } = new URL(own.url)
    expect(await linkFor(own, host)).toBe('https://farhand.example/invite-confirmation/CODE')
  })

  test('never has a host name chosen by the request', async () => {
    const own = await useTestServer({ settings: { Urls: 'http://*:0' } })
    await own.owner()
    const link = await linkFor(own, 'evil.example')
    expect(link).toMatch(new RegExp(`^http://[\\d.]+:${new URL(own.url).port}/invite-confirmation/CODE$`))
  })
})
