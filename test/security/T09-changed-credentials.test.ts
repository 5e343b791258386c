import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { manualClock } from '../support/clock.ts'
import { connectViewer, type Viewer } from '../support/hub-client.ts'
import { linkIn, startMailServer, type MailServer } from '../support/mail.ts'
import { addMember } from '../support/people.ts'
import { account, integrator, startTestServer, type Member, type TestServer } from '../support/server.ts'
import { appCode } from '../support/totp.ts'

const next = 'Newer-Horse-8'
const clock = manualClock()
let mail: MailServer
let server: TestServer
let owner: Member

beforeAll(async () => {
  mail = await startMailServer()
  const settings = { ...mail.settings, AppOptions__EnableInteractiveBearerLogin: 'true' }
  server = await startTestServer({ settings, clock })
  owner = await server.owner()
})
beforeEach(() => clock.advance(60_000))
afterAll(async () => {
  await server.stop()
  await mail.close()
})

/** Creates a user signed in with two sessions, a token and a key, each with an open page. */
async function everywhere() {
  const here = await addMember(server, owner.tenantId, ['personal-access-token.self.write'])
  const { email, id } = here.user
  await server.changeRow('users', id, 'isEmailConfirmed = TRUE')
  const there = await server.signIn({ email })
  const { accessToken } = (await here.identity.login({ query: {}, body: { email, password: account.password } }))!
  const { plainTextToken } = await here.personalAccessTokens.create({
    tenantId: owner.tenantId,
    body: { name: 'mine' },
  })
  const headers = { bearer: { authorization: `Bearer ${accessToken}` }, key: { 'x-personal-token': plainTextToken } }
  const visitor = server.visitor()
  const pages = {
    here: await connectViewer(here),
    there: await connectViewer(there),
    bearer: await connectViewer(visitor, { headers: { cookie: '', ...headers.bearer } }),
    key: await connectViewer(visitor, { headers: { cookie: '', ...headers.key } }),
  }
  const bearer = integrator(server.url, headers.bearer)
  return { here, there, bearer, personal: integrator(server.url, headers.key), email, id, pages }
}

type Scene = Awaited<ReturnType<typeof everywhere>>

const cut = (...pages: Viewer[]) => Promise.all(pages.map(({ closed }) => closed))
const isOpen = async (page: Viewer) => (await page.SubscribeToDeviceHeartbeats2({ deviceIds: [] })).isSuccess

const wrongPassword = ({ email }: Scene) =>
  server.visitor().applianceSession.signIn({ body: { email, password: 'Wrong-Horse-7' } })

test.each<[string, (at: Scene) => Promise<unknown>]>([
  [
    'a reset by an administrator',
    async ({ id }) => owner.users.resetPassword({ tenantId: owner.tenantId, params: { userId: id } }),
  ],
  [
    'a reset by mail',
    async ({ email }) => {
      await server.visitor().identity.forgotPassword({ body: { email } })
      const resetCode = linkIn(await mail.next(email, 'Reset your password')).searchParams.get('code')!
      await server.visitor().identity.resetPassword({ body: { email, resetCode, newPassword: next } })
    },
  ],
  [
    'a change without a session',
    async ({ email }) =>
      server.visitor().auth.changePasswordWithCredentials({
        body: { email, currentPassword: account.password, newPassword: next },
      }),
  ],
  [
    'the end of the account',
    async ({ id }) => owner.users.delete({ tenantId: owner.tenantId, params: { userId: id } }),
  ],
])('%s closes every connection and ends sessions and tokens', async (_, change) => {
  const at = await everywhere()
  await change(at)
  await cut(...Object.values(at.pages))
  for (const client of [at.here, at.there, at.bearer]) {
    await expect(client.auth.me({})).rejects.toMatchObject({ status: 401 })
  }
  expect(await server.rows('SELECT 1 FROM sessions WHERE userId = ?', at.id)).toEqual([])
  await server.restart()
  await expect(at.there.auth.me({})).rejects.toMatchObject({ status: 401 })
})

test.each<[string, (at: Scene) => Promise<unknown>]>([
  [
    'a changed password',
    ({ here }) => here.auth.changePassword({ body: { currentPassword: account.password, newPassword: next } }),
  ],
  [
    'a changed password at the stock endpoint',
    ({ here }) => here.identity.changeInfo({ body: { oldPassword: account.password, newPassword: next } }),
  ],
  [
    'two-factor authentication',
    async ({ here }) => {
      const { sharedKey } = await here.identity.manageTwoFactor({ body: {} })
      await here.identity.manageTwoFactor({ body: { enable: true, twoFactorCode: appCode(sharedKey, clock) } })
    },
  ],
  [
    'another address',
    async (at) => {
      const { here, email } = at
      at.email = `new-${email}`
      await here.identity.changeInfo({ body: { newEmail: at.email } })
      await server.visitor().fetch(linkIn(await mail.next(at.email, 'Confirm')).href)
    },
  ],
])('%s, made in a session, ends everything but that session', async (_, change) => {
  const at = await everywhere()
  await change(at)
  const { here, ...others } = at.pages
  await cut(...Object.values(others))
  expect(await isOpen(here)).toBe(true)
  expect(await at.here.auth.me({})).toMatchObject({ email: at.email })
  for (const client of [at.there, at.bearer]) {
    await expect(client.auth.me({})).rejects.toMatchObject({ status: 401 })
  }
})

test.each<[string, (at: Scene) => Promise<unknown>]>([
  [
    'a changed password',
    ({ bearer }) => bearer.auth.changePassword({ body: { currentPassword: account.password, newPassword: next } }),
  ],
  [
    'two-factor authentication',
    async ({ bearer }) => {
      const { sharedKey } = await bearer.identity.manageTwoFactor({ body: {} })
      await bearer.identity.manageTwoFactor({ body: { enable: true, twoFactorCode: appCode(sharedKey, clock) } })
    },
  ],
  [
    'another address',
    async (at) => {
      const { bearer, email } = at
      at.email = `new-${email}`
      await bearer.identity.changeInfo({ body: { newEmail: at.email } })
      await server.visitor().fetch(linkIn(await mail.next(at.email, 'Confirm')).href)
    },
  ],
])('%s, made with a bearer token, ends everything but that token', async (_, change) => {
  const at = await everywhere()
  const other = (await server.visitor().identity.login({
    query: {},
    body: { email: at.email, password: account.password },
  }))!
  await change(at)
  const { bearer, ...others } = at.pages
  await cut(...Object.values(others))
  expect(await isOpen(bearer)).toBe(true)
  expect(await at.bearer.auth.me({})).toMatchObject({ email: at.email })
  const ended = [at.here, at.there, integrator(server.url, { authorization: `Bearer ${other.accessToken}` })]
  for (const client of ended) {
    await expect(client.auth.me({})).rejects.toMatchObject({ status: 401 })
  }
  const { refreshToken } = other
  await expect(server.visitor().identity.refresh({ body: { refreshToken } })).rejects.toMatchObject({ status: 401 })
})

test('a password changed with a personal token ends sessions and bearer tokens, and the token remains valid', async () => {
  const at = await everywhere()
  await at.personal.auth.changePassword({ body: { currentPassword: account.password, newPassword: next } })
  await cut(at.pages.here, at.pages.there, at.pages.bearer)
  expect(await at.personal.auth.me({})).toMatchObject({ email: at.email })
  for (const client of [at.here, at.there, at.bearer]) {
    await expect(client.auth.me({})).rejects.toMatchObject({ status: 401 })
  }
})

test.each<[string, (at: Scene) => Promise<unknown>]>([
  [
    'a lockout by somebody else',
    async (at) => {
      for (let count = 0; count < 6; count++) {
        await wrongPassword(at)
      }
    },
  ],
  ['new recovery codes', ({ here }) => here.identity.manageTwoFactor({ body: { resetRecoveryCodes: true } })],
])('%s ends nothing', async (_, change) => {
  const at = await everywhere()
  await change(at)
  for (const page of Object.values(at.pages)) {
    expect(await isOpen(page)).toBe(true)
  }
  for (const client of [at.here, at.there, at.bearer, at.personal]) {
    expect(await client.auth.me({})).toMatchObject({ email: at.email })
  }
})
