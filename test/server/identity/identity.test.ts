import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bearerLogin, startIdentityServer } from '../../support/identity.ts'
import { linkIn } from '../../support/mail.ts'
import { addServerAccount } from '../../support/people.ts'
import { account, integrator, useTestServer } from '../../support/server.ts'

const minute = 60_000
const wrong = 'Wrong-Horse-7'
const next = 'Newer-Horse-8'
const thanks = 'Thank you for confirming your email.'

let identity: Awaited<ReturnType<typeof startIdentityServer>>

beforeAll(async () => {
  identity = await startIdentityServer()
})
// Resets the limit on sign-in attempts before each test.
beforeEach(() => identity.clock.advance(minute))
afterAll(() => identity.stop())

describe('register', () => {
  test('creates a user with an own tenant, without signing in', async () => {
    const visitor = identity.server.visitor()
    const response = await visitor.fetch('/api/auth/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: ' Grace@Example.ORG', password: account.password }),
    })
    expect([response.status, await response.text(), visitor.cookie]).toEqual([200, '', undefined])
    const grace = await identity.server.signIn({ email: 'grace@example.org' })
    expect(grace.tenantId).not.toBe(identity.owner.tenantId)
    expect((await grace.applianceStatus.permissions({})).items.some((name) => name.startsWith('server.'))).toBe(false)
    await identity.mail.next('grace@example.org')
  })

  test.each([
    [{ email: account.email, password: account.password }, ['DuplicateUserName']],
    [{ email: account.email.toUpperCase(), password: account.password }, ['DuplicateUserName']],
    [{ email: 'no address', password: account.password }, ['InvalidEmail']],
    [{ email: 'x@example.org', password: 'a' }, ['PasswordTooShort', 'PasswordRequiresDigit', 'PasswordRequiresUpper']],
    [
      { email: 'x@example.org', password: '' },
      ['PasswordTooShort', 'PasswordRequiresDigit', 'PasswordRequiresLower', 'PasswordRequiresUpper'],
    ],
    [{ email: 'x@example.org', password: 'UPPER-7-UPPER' }, ['PasswordRequiresLower']],
    [{ email: 'x@example.org' }, ['password']],
  ])('%j is 400 with %j', async (body, codes) => {
    const response = await identity.post('register', body)
    expect(response.status).toBe(400)
    const problem = (await response.json()) as { title: string; errors: Record<string, string[]> }
    expect(problem.title).toBe('One or more validation errors occurred.')
    expect(Object.keys(problem.errors)).toEqual(codes)
    expect(Object.values(problem.errors).every(([message]) => message)).toBe(true)
  })

  test('is 404 once registration is closed, also with an invalid password', async () => {
    const closed = await useTestServer({ settings: bearerLogin })
    await closed.visitor().identity.register({ body: account })
    expect((await closed.signIn()).user.email).toBe(account.email)
    for (const password of [account.password, 'a']) {
      const again = closed.visitor().identity.register({ body: { email: 'x@example.org', password } })
      await expect(again).rejects.toMatchObject({ status: 404 })
    }
  })
})

describe('login', () => {
  test('gives tokens', async () => {
    const response = await identity.post('login', account)
    expect(await response.json()).toEqual({
      tokenType: 'Bearer',
      accessToken: expect.any(String),
      expiresIn: 3600,
      refreshToken: expect.any(String),
    })
    expect(response.headers.get('set-cookie')).toBeNull()
  })

  test.each([
    ['useCookies=true', true],
    ['useCookies=true&useSessionCookies=true', false],
    ['useSessionCookies=True', false],
  ])('%s gives the cookie and no tokens', async (query, isPersistent) => {
    const visitor = identity.server.visitor()
    const response = await visitor.fetch(`/api/auth/login?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(account),
    })
    expect([response.status, await response.text()]).toEqual([200, ''])
    const cookie = response.headers.getSetCookie().find((line) => line.startsWith('.Farhand.Identity'))
    expect(cookie?.includes('Max-Age')).toBe(isPersistent)
    expect(await visitor.auth.me({})).toMatchObject({ email: account.email })
  })

  test('a flag that is neither true nor false is 400', async () => {
    const response = await identity.post('login?useCookies=perhaps', account)
    expect([response.status, Object.keys(((await response.json()) as { errors: object }).errors)]).toEqual([
      400,
      ['useCookies'],
    ])
  })

  test('reports failures with the published reasons', async () => {
    const email = await identity.confirmed()
    const attempt = async (password: string, who = email) =>
      ((await (await identity.post('login', { email: who, password })).json()) as { detail: string }).detail
    expect(await attempt(wrong, 'nobody@example.org')).toBe('Failed')
    for (const detail of ['Failed', 'Failed', 'Failed', 'Failed', 'LockedOut', 'LockedOut']) {
      expect(await attempt(wrong)).toBe(detail)
    }
    expect(await attempt(account.password)).toBe('LockedOut')
  })
})

describe('refresh', () => {
  test('gives new tokens of both kinds', async () => {
    const first = (await identity.owner.identity.login({ query: {}, body: account }))!
    const second = await identity.server.visitor().identity.refresh({ body: { refreshToken: first.refreshToken } })
    expect(new Set([first.accessToken, first.refreshToken, second.accessToken, second.refreshToken]).size).toBe(4)
    const client = integrator(identity.server.url, { authorization: `Bearer ${second.accessToken}` })
    expect(await client.auth.me({})).toMatchObject({ email: account.email })
  })

  test('accepts refresh tokens only', async () => {
    const { accessToken, refreshToken } = (await identity.owner.identity.login({ query: {}, body: account }))!
    for (const token of [accessToken, '', 'nonsense', `${refreshToken}x`, refreshToken.slice(0, -4)]) {
      expect((await identity.post('refresh', { refreshToken: token })).status).toBe(401)
    }
  })

  test('ignores an expired access token in the same request', async () => {
    const tokens = (await identity.owner.identity.login({ query: {}, body: account }))!
    identity.clock.advance(61 * minute)
    const client = integrator(identity.server.url, { authorization: `Bearer ${tokens.accessToken}` })
    await expect(client.auth.me({})).rejects.toMatchObject({ status: 401 })
    expect(await client.identity.refresh({ body: { refreshToken: tokens.refreshToken } })).toMatchObject({
      tokenType: 'Bearer',
    })
  })
})

describe('manage/info', () => {
  test('changes the password when given the old one', async () => {
    const email = await identity.confirmed()
    const [member, elsewhere] = [await identity.server.signIn({ email }), await identity.server.signIn({ email })]
    const change = (body: object) => member.identity.changeInfo({ body })
    await expect(change({ newPassword: next })).rejects.toMatchObject({
      status: 400,
      problem: { errors: { OldPasswordRequired: [expect.any(String)] } },
    })
    await expect(change({ newPassword: next, oldPassword: wrong })).rejects.toMatchObject({
      status: 400,
      problem: { errors: { PasswordMismatch: ['Incorrect password.'] } },
    })
    await expect(change({ newPassword: 'short', oldPassword: account.password })).rejects.toMatchObject({
      problem: { errors: { PasswordTooShort: [expect.any(String)] } },
    })
    expect(await change({ newPassword: next, oldPassword: account.password })).toEqual({
      email,
      isEmailConfirmed: true,
    })
    expect(await member.auth.me({})).toMatchObject({ email })
    await expect(elsewhere.auth.me({})).rejects.toMatchObject({ status: 401 })
    await identity.server.signIn({ email, password: next })
  })

  test('changes the address only when the new one is confirmed', async () => {
    const email = await identity.confirmed()
    const newEmail = `new-${email}`
    const member = await identity.server.signIn({ email })
    const answer = await member.identity.changeInfo({ body: { newEmail: newEmail.toUpperCase() } })
    expect(answer).toEqual({ email, isEmailConfirmed: true })
    const link = linkIn(await identity.mail.next(newEmail))
    expect(link.searchParams.get('changedEmail')).toBe(newEmail)
    const response = await identity.server.visitor().fetch(link.href)
    expect([response.status, await response.text()]).toEqual([200, thanks])
    const moved = await identity.server.signIn({ email: newEmail })
    expect(await moved.auth.me({})).toMatchObject({ email: newEmail, userName: newEmail, emailConfirmed: true })
    await expect(identity.server.signIn({ email })).rejects.toThrow('was not signed in')
    expect((await identity.server.visitor().fetch(link.href)).status).toBe(401)
  })

  test('does not change to an address in use, and does not reveal the use', async () => {
    const [email, taken] = [await identity.confirmed(), await identity.confirmed()]
    const member = await identity.server.signIn({ email })
    await member.identity.changeInfo({ body: { newEmail: taken } })
    expect((await identity.server.visitor().fetch(linkIn(await identity.mail.next(taken)).href)).status).toBe(401)
    expect(await member.identity.info({})).toMatchObject({ email })
    await expect(member.identity.changeInfo({ body: { newEmail: 'no address' } })).rejects.toMatchObject({
      problem: { errors: { InvalidEmail: [expect.any(String)] } },
    })
  })

  test('is 404 for a service account, and read-only for a personal access token', async () => {
    const signedIn = await identity.server.signIn()
    const integration = await addServerAccount(signedIn)
    await expect(integration.identity.info({})).rejects.toMatchObject({ status: 404 })
    await expect(integration.identity.changeInfo({ body: {} })).rejects.toMatchObject({ status: 404 })
    await expect(integration.identity.manageTwoFactor({ body: {} })).rejects.toMatchObject({ status: 404 })
    const { plainTextToken } = await signedIn.personalAccessTokens.create({
      tenantId: identity.owner.tenantId,
      body: { name: 'mine' },
    })
    const client = integrator(identity.server.url, { 'x-personal-token': plainTextToken })
    expect(await client.identity.info({})).toMatchObject({ email: account.email })
    await expect(client.identity.changeInfo({ body: {} })).rejects.toMatchObject({ status: 403 })
    await expect(client.identity.manageTwoFactor({ body: {} })).rejects.toMatchObject({ status: 403 })
  })
})
