import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../support/clock.ts'
import { connectViewer } from '../../support/hub-client.ts'
import { addMember, addServerAccount } from '../../support/people.ts'
import {
  account,
  integrator,
  ownerForFile,
  serverForFile,
  startTestServer,
  useTestServer,
  type Member,
  type TestServer,
} from '../../support/server.ts'

const wrong = 'Wrong-Horse-7'
const next = 'Newer-Horse-8'
const bearerLogin = { AppOptions__EnableInteractiveBearerLogin: 'true' }

const post = (server: TestServer, path: string, body: unknown) =>
  server.visitor().fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const server = serverForFile()
const owner = ownerForFile(server)

describe('me', () => {
  test('shows the state of the account', async () => {
    expect(await owner.auth.me({})).toEqual({
      id: owner.user.id,
      userName: account.email,
      email: account.email,
      createdAt: owner.user.createdAt,
      isOnline: false,
      requirePasswordChange: false,
      twoFactorEnabled: false,
      emailConfirmed: false,
      tenantId: owner.tenantId,
    })
    await connectViewer(owner)
    expect(await owner.auth.me({})).toMatchObject({ isOnline: true })
  })

  test('is 404 for a service account, which has no user', async () => {
    const integration = await addServerAccount(owner)
    await expect(integration.auth.me({})).rejects.toMatchObject({ status: 404 })
  })
})

describe('interactive-login', () => {
  test('is 404 before its body is read where bearer tokens are switched off', async () => {
    for (const contentType of ['text/plain', 'application/json']) {
      const response = await fetch(`${server.url}/api/auth/interactive-login`, {
        method: 'POST',
        headers: { 'content-type': contentType },
        body: 'no JSON',
      })
      expect(response.status).toBe(404)
    }
  })

  test('is 404 while bearer login is off, as are the stock identity endpoints', async () => {
    const paths = ['interactive-login', 'login', 'register', 'refresh', 'forgotPassword', 'resetPassword', 'manage/2fa']
    for (const path of paths) {
      const response = await post(server, `/api/auth/${path}`, { ...account, refreshToken: 'x' })
      expect([path, response.status]).toEqual([path, 404])
    }
    expect((await server.visitor().fetch('/api/auth/manage/info')).status).toBe(404)
    expect((await server.visitor().fetch('/api/auth/confirmEmail?userId=a&code=b')).status).toBe(404)
  })

  describe('while it is on', () => {
    const clock = manualClock()
    let server: TestServer
    let owner: Member

    beforeAll(async () => {
      server = await startTestServer({ settings: bearerLogin, clock })
      owner = await server.owner()
    })
    afterAll(() => server.stop())

    const login = (body: object) => post(server, '/api/auth/interactive-login', body)

    test('answers tokens that are accepted', async () => {
      const response = await login({ Email: ` ${account.email.toUpperCase()} `, PASSWORD: account.password })
      expect(response.status).toBe(200)
      const body = (await response.json()) as { tokens: { accessToken: string; refreshToken: string } }
      expect(body).toEqual({
        requiresTwoFactor: false,
        isLockedOut: false,
        requiresPasswordChange: false,
        tokens: {
          tokenType: 'Bearer',
          accessToken: expect.any(String),
          expiresInSeconds: 3600,
          refreshToken: expect.any(String),
        },
      })
      const client = integrator(server.url, { authorization: `Bearer ${body.tokens.accessToken}` })
      expect(await client.auth.me({})).toMatchObject({ id: owner.user.id })
    })

    test('an unknown address and a wrong password are the same 401', async () => {
      const answers = []
      for (const body of [
        { email: account.email, password: wrong },
        { email: 'nobody@example.org', password: wrong },
      ]) {
        const response = await login(body)
        const { traceId: _, ...problem } = (await response.json()) as Record<string, unknown>
        answers.push(problem)
      }
      expect(answers[0]).toMatchObject({ status: 401, detail: 'The address, the password or the code is wrong.' })
      expect(answers[1]).toEqual(answers[0])
    })

    test.each([
      [{ password: 'x' }, 'email'],
      [{ email: 'no address', password: 'x' }, 'email'],
      [{ email: account.email }, 'password'],
      [{ email: account.email, password: 'x', twoFactorCode: 7 }, 'twoFactorCode'],
    ])('%j is 400 and names the field', async (body, field) => {
      const response = await login(body)
      expect(response.status).toBe(400)
      expect(Object.keys(((await response.json()) as { errors: object }).errors)).toEqual([field])
    })

    test('locks the account after five wrong passwords, and then answers no tokens', async () => {
      const member = await addMember(server, owner.tenantId, [])
      const attempt = async (password: string) => (await login({ email: member.user.email, password })).json()
      for (let count = 0; count < 4; count++) {
        expect(await attempt(wrong)).toMatchObject({ status: 401 })
      }
      const locked = { requiresTwoFactor: false, isLockedOut: true, requiresPasswordChange: false }
      expect(await attempt(wrong)).toEqual(locked)
      expect(await attempt(account.password)).toEqual(locked)
      clock.advance(5 * 60_000)
      expect(await attempt(account.password)).toMatchObject({ isLockedOut: false, tokens: {} })
    })

    test('more than twenty attempts a minute from one address are 429 with the time to wait', async () => {
      clock.advance(60_000)
      for (let count = 0; count < 20; count++) {
        expect((await login({})).status).toBe(400)
      }
      const response = await login({})
      expect([response.status, response.headers.get('retry-after')]).toEqual([429, '60'])
      clock.advance(60_000)
    })
  })
})

describe('change-password', () => {
  test.each([
    [{ currentPassword: wrong, newPassword: next }, 'The current password is wrong.'],
    [
      { currentPassword: account.password, newPassword: 'all-lower-case' },
      'newPassword must contain a digit, must contain an upper-case letter',
    ],
  ])('answers %j with a bare string', async (body, text) => {
    const server = await useTestServer()
    const owner = await server.owner()
    const response = await owner.fetch('/api/auth/change-password', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect([response.status, response.headers.get('content-type')]).toEqual([400, 'text/plain; charset=utf-8'])
    expect(await response.text()).toBe(text)
  })

  test('answers a missing new password, or one of another type, with a problem', async () => {
    const server = await useTestServer()
    const owner = await server.owner()
    for (const newPassword of [undefined, {}]) {
      const body = { currentPassword: account.password, newPassword } as never
      await expect(owner.auth.changePassword({ body })).rejects.toMatchObject({
        status: 400,
        problem: { errors: { newPassword: [expect.any(String)] } },
      })
    }
  })

  describe('without a session', () => {
    const body = { currentPassword: account.password, newPassword: next }

    const withToken = async (permissionMode: 'InheritOwner' | 'Restricted') => {
      const server = await useTestServer()
      const owner = await server.owner()
      const { plainTextToken } = await owner.personalAccessTokens.create({
        tenantId: owner.tenantId,
        body: { name: 'mine', permissionMode },
      })
      return { server, owner, client: integrator(server.url, { 'x-personal-token': plainTextToken }) }
    }

    test('works for a token that acts as its owner, and needs the password', async () => {
      const { server, client } = await withToken('InheritOwner')
      const guess = client.auth.changePassword({ body: { ...body, currentPassword: wrong } })
      await expect(guess).rejects.toMatchObject({ status: 400, message: 'The current password is wrong.' })
      await client.auth.changePassword({ body })
      await server.signIn({ password: next })
      expect(await client.auth.me({})).toMatchObject({ email: account.email })
    })

    test('is rejected for a restricted token and for a service account', async () => {
      const { server, owner, client } = await withToken('Restricted')
      for (const refused of [client, await addServerAccount(owner)]) {
        await expect(refused.auth.changePassword({ body })).rejects.toMatchObject({ status: 403 })
      }
      await server.signIn()
    })
  })
})

describe('change-password-with-credentials', () => {
  const change = (server: TestServer, body: object) =>
    post(server, '/api/auth/change-password-with-credentials', {
      email: account.email,
      currentPassword: account.password,
      newPassword: next,
      ...body,
    })

  test('changes the password, and ends every session', async () => {
    const server = await useTestServer()
    const owner = await server.owner()
    const response = await change(server, {})
    expect([response.status, await response.text()]).toEqual([200, ''])
    await expect(owner.auth.me({})).rejects.toMatchObject({ status: 401 })
    await server.signIn({ password: next })
  })

  test('a wrong password, an unknown address and a locked account are 401, a bad new password 400', async () => {
    const server = await useTestServer()
    await server.owner()
    expect((await change(server, { newPassword: 'short' })).status).toBe(400)
    expect((await change(server, { newPassword: undefined })).status).toBe(400)
    expect((await change(server, { newPassword: account.password })).status).toBe(400)
    const unknown = await (await change(server, { email: 'nobody@example.org' })).json()
    expect(unknown).toMatchObject({ status: 401, detail: 'The address or the password is wrong.' })
    for (let count = 0; count < 5; count++) {
      expect((await change(server, { currentPassword: wrong })).status).toBe(401)
    }
    expect(await (await change(server, {})).json()).toMatchObject({
      status: 401,
      detail: 'This account is locked for a few minutes after too many wrong answers.',
    })
  })
})

describe('a required change of password', () => {
  /** Creates a user whose password the owner has reset. */
  async function pendingColleague() {
    const server = await useTestServer({ settings: bearerLogin })
    const owner = await server.owner()
    const member = await addMember(server, owner.tenantId, ['personal-access-token.self.write'])
    const { plainTextToken } = await member.personalAccessTokens.create({
      tenantId: owner.tenantId,
      body: { name: 'mine' },
    })
    const { temporaryPassword } = await owner.users.resetPassword({
      tenantId: owner.tenantId,
      params: { userId: member.user.id },
    })
    return { server, owner, member, token: plainTextToken, temporaryPassword, email: member.user.email }
  }

  test('is reported by every sign-in, before a second factor, without session or tokens', async () => {
    const { server, member, temporaryPassword: password, email } = await pendingColleague()
    await expect(member.auth.me({})).rejects.toMatchObject({ status: 401 })
    const login = await post(server, '/api/auth/interactive-login', { email, password })
    expect(await login.json()).toEqual({ requiresTwoFactor: false, isLockedOut: false, requiresPasswordChange: true })
    const visitor = server.visitor()
    expect(await visitor.applianceSession.signIn({ body: { email, password } })).toEqual({
      isLockedOut: false,
      requiresTwoFactor: false,
      requiresPasswordChange: true,
      requiresEmailConfirmation: false,
      isDisabled: false,
      user: null,
    })
    expect(visitor.cookie).toBeUndefined()
    await expect(visitor.identity.login({ query: {}, body: { email, password } })).rejects.toMatchObject({
      status: 401,
      message: 'NotAllowed',
    })
    await visitor.auth.changePasswordWithCredentials({
      body: { email, currentPassword: password, newPassword: next },
    })
    expect(await server.signIn({ email, password: next })).toMatchObject({ user: { requirePasswordChange: false } })
  })

  test('blocks tokens of the user, on routes and on hubs', async () => {
    const { server, token, temporaryPassword, email } = await pendingColleague()
    const headers = { 'x-personal-token': token }
    const client = integrator(server.url, headers)
    for (const call of [() => client.auth.me({}), () => client.auth.logout({}), () => client.devices.list({})]) {
      await expect(call()).rejects.toMatchObject({ status: 403, message: 'Password change required.' })
    }
    const visitor = server.visitor()
    await expect(connectViewer(visitor, { headers: { ...headers, cookie: '' } })).rejects.toThrow('403')
    // Without the token there is no user who has to change the password.
    expect((await visitor.fetch('/api/v1/public-server-settings', { headers })).status).toBe(200)
    await visitor.auth.changePasswordWithCredentials({
      body: { email, currentPassword: temporaryPassword, newPassword: next },
    })
    expect(await client.auth.me({})).toMatchObject({ email })
  })

  test('lets an existing session change the password and then continue', async () => {
    const server = await useTestServer()
    const owner = await server.owner()
    await server.changeRow('users', owner.user.id, 'isPasswordChangeRequired = TRUE')
    await server.restart()
    await expect(owner.auth.me({})).rejects.toMatchObject({ status: 403, message: 'Password change required.' })
    await owner.auth.changePassword({ body: { currentPassword: account.password, newPassword: next } })
    expect(await owner.auth.me({})).toMatchObject({ requirePasswordChange: false })
  })
})
