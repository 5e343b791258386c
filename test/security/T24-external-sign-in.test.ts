import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../support/clock.ts'
import { ProviderBrowser, providerSettings, startIdentityProvider } from '../support/identity-provider.ts'
import { pageMember, pageVisitor } from '../support/passkeys.ts'
import { createUser } from '../support/people.ts'
import { account, startTestServer, type Member, type TestServer, type Visitor } from '../support/server.ts'
import { appCode, enableTwoFactor } from '../support/totp.ts'

const clock = manualClock()
const params = { place: 'a' as const }
let provider: Awaited<ReturnType<typeof startIdentityProvider>>
let server: TestServer
let owner: Member

beforeAll(async () => {
  provider = await startIdentityProvider()
  const places = { ...providerSettings('A', provider.issuer), ...providerSettings('B', provider.issuer) }
  const settings = { ...places, AppOptions__EnableInteractiveBearerLogin: 'true' }
  server = await startTestServer({ settings, clock })
  owner = await server.owner()
}, 30_000)
afterAll(async () => {
  await server.stop()
  await provider.stop()
})

/** Goes to the provider as `name`, and returns its answer. */
async function visit(visitor: Visitor, name: string) {
  const { ticket, url } = await visitor.applianceIdentityProviders.begin({ params })
  return { ticket, query: await new ProviderBrowser().signIn(url, name) }
}

const signIn = async (visitor: Visitor, name: string) => {
  clock.advance(60_000)
  return visitor.applianceIdentityProviders.answer({ params, body: await visit(visitor, name) })
}

/** Signs in on our page as a new user, and links `name`. */
async function linked(name: string) {
  clock.advance(60_000)
  owner = await server.signIn()
  const { email } = await createUser(owner, { password: account.password })
  const member = await pageMember(server, email)
  const { ticket, url } = await member.applianceIdentityProviders.beginLink({ params })
  const query = await new ProviderBrowser().signIn(url, name)
  const login = await member.applianceIdentityProviders.link({ params, body: { ticket, query } })
  return { member, login }
}

const foreignTicket = { status: 400, message: expect.stringContaining('has expired, or was begun in another browser') }

describe('an account at a provider that nobody linked', () => {
  test('signs nobody in, even with the verified address of a user', async () => {
    const visitor = pageVisitor(server)
    // The address of `ada` at the provider is that of the owner here.
    expect(await signIn(visitor, 'ada')).toMatchObject({
      user: null,
      isLinked: false,
      isRegistrationOpen: false,
      email: account.email,
    })
    await expect(visitor.auth.me({})).rejects.toMatchObject({ status: 401 })
  })

  test('cannot register while registration is closed', async () => {
    const visitor = pageVisitor(server)
    const { identity } = await signIn(visitor, 'stranger')
    const body = { identity: identity!, email: 'stranger@example.org' }
    await expect(visitor.applianceIdentityProviders.register({ body })).rejects.toMatchObject({ status: 404 })
  })

  test('registers a user of its own while registration is open, and signs in as that user from then on', async () => {
    server.settings['AppOptions__EnablePublicRegistration'] = 'true'
    await server.restart()
    const visitor = pageVisitor(server)
    const { identity, email } = await signIn(visitor, 'newcomer')
    const register = (address: string) =>
      visitor.applianceIdentityProviders.register({ body: { identity: identity!, email: address } })
    await expect(register(account.email)).rejects.toMatchObject({ status: 400 })
    const user = await register(email!)
    expect(await visitor.auth.me({})).toMatchObject({ id: user.id, email: 'newcomer@example.org' })
    await expect(register('another@example.org')).rejects.toMatchObject(foreignTicket)
    delete server.settings['AppOptions__EnablePublicRegistration']
    await server.restart()
    expect(await signIn(pageVisitor(server), 'newcomer')).toMatchObject({ user: { id: user.id } })
  })
})

describe('a linked account', () => {
  test('signs in its user, in a session that needs the key of the page', async () => {
    const { member, login } = await linked('grace')
    expect(login).toMatchObject({ place: 'a', name: 'grace@example.org', lastUsedAt: null })
    const visitor = pageVisitor(server)
    expect(await signIn(visitor, 'grace')).toMatchObject({ user: { id: member.user.id }, isLinked: true })
    expect(await visitor.auth.me({})).toMatchObject({ id: member.user.id })
    visitor.pageKey = undefined
    await expect(visitor.auth.me({})).rejects.toMatchObject({ status: 401 })
  })

  test('is unlinked by its user only, and registers no second one', async () => {
    clock.advance(60_000)
    server.settings['AppOptions__EnablePublicRegistration'] = 'true'
    await server.restart()
    const visitor = pageVisitor(server)
    const { identity } = await signIn(visitor, 'mine')
    const { login } = await linked('mine')
    const other = await pageMember(server)
    const unlinking = other.applianceIdentityProviders.unlink({ params: { loginId: login.id } })
    await expect(unlinking).rejects.toMatchObject({ status: 404 })
    const body = { identity: identity!, email: 'second@example.org' }
    await expect(visitor.applianceIdentityProviders.register({ body })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('linked to a user already'),
    })
    delete server.settings['AppOptions__EnablePublicRegistration']
    await server.restart()
  })

  test('is linked to one user only', async () => {
    await linked('shared')
    await expect(linked('shared')).rejects.toMatchObject({ status: 409 })
  })

  test('signs in nobody after it was unlinked, which ends the other sessions of its user', async () => {
    const { member, login } = await linked('left')
    const other = pageVisitor(server)
    await signIn(other, 'left')
    await member.applianceIdentityProviders.unlink({ params: { loginId: login.id } })
    await expect(other.auth.me({})).rejects.toMatchObject({ status: 401 })
    expect(await signIn(pageVisitor(server), 'left')).toMatchObject({ user: null, isLinked: false })
  })

  test('is not unlinked if it is the last way in', async () => {
    const { member, login } = await linked('only')
    await server.changeRow('users', member.user.id, 'passwordHash = NULL')
    const unlinking = member.applianceIdentityProviders.unlink({ params: { loginId: login.id } })
    await expect(unlinking).rejects.toMatchObject({ status: 409 })
  })

  test('is refused while the password must be changed', async () => {
    const { member } = await linked('gate')
    await server.changeRow('users', member.user.id, 'isPasswordChangeRequired = TRUE')
    expect(await signIn(pageVisitor(server), 'gate')).toMatchObject({ user: null, requiresPasswordChange: true })
  })

  test('needs the code of a user with two-factor authentication, and five wrong ones lock it (T11)', async () => {
    const { member } = await linked('careful')
    const { sharedKey } = await enableTwoFactor(member, clock)
    const visitor = pageVisitor(server)
    const { identity, requiresTwoFactor, user } = await signIn(visitor, 'careful')
    expect({ requiresTwoFactor, user }).toEqual({ requiresTwoFactor: true, user: null })
    const finish = (twoFactorCode: string) =>
      visitor.applianceIdentityProviders.secondFactor({ body: { identity: identity!, twoFactorCode } })
    for (let count = 0; count < 4; count++) {
      expect(await finish('000000')).toMatchObject({ isLockedOut: false, user: null })
    }
    expect(await finish('000000')).toMatchObject({ isLockedOut: true })
    expect(await finish(appCode(sharedKey, clock))).toMatchObject({ isLockedOut: true, user: null })
    clock.advance(5 * 60_000)
    expect(await finish(appCode(sharedKey, clock))).toMatchObject({ user: { id: member.user.id } })
    clock.advance(60_000)
    await expect(finish(appCode(sharedKey, clock))).rejects.toMatchObject(foreignTicket)
  })
})

test('a code of the authenticator app works once, also for a provider and a password at the same time (T11)', async () => {
  const { member } = await linked('hasty')
  const { sharedKey } = await enableTwoFactor(member, clock)
  const visitor = pageVisitor(server)
  const { identity } = await signIn(visitor, 'hasty')
  const twoFactorCode = appCode(sharedKey, clock)
  const answers = await Promise.all([
    server.visitor().applianceSession.signIn({
      body: { email: member.user.email, password: account.password, twoFactorCode },
    }),
    visitor.applianceIdentityProviders.secondFactor({ body: { identity: identity!, twoFactorCode } }),
  ])
  expect(answers.filter(({ user }) => user !== null)).toHaveLength(1)
})

describe('an answer of the provider', () => {
  test('works once', async () => {
    const visitor = pageVisitor(server)
    const body = await visit(visitor, 'grace')
    await visitor.applianceIdentityProviders.answer({ params, body })
    await expect(visitor.applianceIdentityProviders.answer({ params, body })).rejects.toMatchObject(foreignTicket)
  })

  test('is worth nothing with the ticket of another visit: state, nonce and code belong together', async () => {
    const visitor = pageVisitor(server)
    const { query } = await visit(visitor, 'grace')
    const { ticket } = await visitor.applianceIdentityProviders.begin({ params })
    const answering = visitor.applianceIdentityProviders.answer({ params, body: { ticket, query } })
    await expect(answering).rejects.toMatchObject({ status: 400, message: expect.stringContaining('does not accept') })
  })

  test('is worth nothing at another place', async () => {
    clock.advance(60_000)
    const visitor = pageVisitor(server)
    const body = await visit(visitor, 'grace')
    const answering = visitor.applianceIdentityProviders.answer({ params: { place: 'b' }, body })
    await expect(answering).rejects.toMatchObject(foreignTicket)
  })

  test('is worth nothing in another browser', async () => {
    clock.advance(60_000)
    const body = await visit(pageVisitor(server), 'grace')
    const answering = pageVisitor(server).applianceIdentityProviders.answer({ params, body })
    await expect(answering).rejects.toMatchObject(foreignTicket)
  })

  test('to a sign-in links nothing, and one to a link belongs to the user who began', async () => {
    clock.advance(60_000)
    owner = await server.signIn()
    const member = await pageMember(server)
    const body = await visit(member, 'evil')
    const linking = member.applianceIdentityProviders.link({ params, body })
    await expect(linking).rejects.toMatchObject(foreignTicket)
    const { ticket, url } = await member.applianceIdentityProviders.beginLink({ params })
    const query = await new ProviderBrowser().signIn(url, 'evil')
    const other = await pageMember(server, (await createUser(owner, { password: account.password })).email)
    other.pageKey = member.pageKey
    await other.applianceSession.signIn({ body: { email: other.user.email, password: account.password } })
    const stolen = other.applianceIdentityProviders.link({ params, body: { ticket, query } })
    await expect(stolen).rejects.toMatchObject(foreignTicket)
  })

  test('that the person declined is explained', async () => {
    clock.advance(60_000)
    const visitor = pageVisitor(server)
    const { ticket, url } = await visitor.applianceIdentityProviders.begin({ params })
    const state = new URL(url).searchParams.get('state')!
    const query = new URLSearchParams({ error: 'access_denied', state, iss: provider.issuer }).toString()
    const answering = visitor.applianceIdentityProviders.answer({ params, body: { ticket, query } })
    await expect(answering).rejects.toMatchObject({ status: 400, message: expect.stringContaining('you declined') })
  })
})
