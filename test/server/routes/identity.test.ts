import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { manualClock } from '../../support/clock.ts'
import { linkIn, startMailServer, type MailServer } from '../../support/mail.ts'
import { addServerAccount } from '../../support/people.ts'
import {
  account,
  integrator,
  startTestServer,
  useTestServer,
  type Member,
  type TestServer,
} from '../../support/server.ts'

const minute = 60_000
const day = 24 * 60 * minute
const wrong = 'Wrong-Horse-7'
const next = 'Newer-Horse-8'
const bearerLogin = { AppOptions__EnableInteractiveBearerLogin: 'true' }
const openToAll = { ...bearerLogin, AppOptions__EnablePublicRegistration: 'true' }
const thanks = 'Thank you for confirming your email.'

const clock = manualClock()
let mail: MailServer
let server: TestServer
let owner: Member

beforeAll(async () => {
  mail = await startMailServer()
  server = await startTestServer({ settings: { ...openToAll, ...mail.settings }, clock })
  owner = await server.owner()
})
beforeEach(() => clock.advance(minute))
afterAll(async () => {
  await server.stop()
  await mail.close()
})

const post = (path: string, body: unknown) =>
  server.visitor().fetch(`/api/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

let people = 0
/** Somebody who has registered, with the mail that confirms the address. */
async function registered() {
  const email = `person-${people++}@example.org`
  await server.visitor().identity.register({ body: { email, password: account.password } })
  const link = linkIn(await mail.next(email))
  return { email, link }
}

/** The same, confirmed. */
async function confirmed() {
  const { email, link } = await registered()
  expect((await server.visitor().fetch(link.href)).status).toBe(200)
  return email
}

describe('register', () => {
  test('creates a user with an own tenant, without signing in', async () => {
    const visitor = server.visitor()
    const response = await visitor.fetch('/api/auth/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: ' Grace@Example.ORG', password: account.password }),
    })
    expect([response.status, await response.text(), visitor.cookie]).toEqual([200, '', undefined])
    const grace = await server.signIn({ email: 'grace@example.org' })
    expect(grace.tenantId).not.toBe(owner.tenantId)
    expect((await grace.applianceStatus.permissions({})).items.some((name) => name.startsWith('server.'))).toBe(false)
    await mail.next('grace@example.org')
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
    const response = await post('register', body)
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
    const response = await post('login', account)
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
    const visitor = server.visitor()
    const response = await visitor.fetch(`/api/auth/login?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(account),
    })
    expect([response.status, await response.text()]).toEqual([200, ''])
    expect(response.headers.get('set-cookie')?.includes('Max-Age')).toBe(isPersistent)
    expect(await visitor.auth.me({})).toMatchObject({ email: account.email })
  })

  test('a flag that is neither true nor false is 400', async () => {
    const response = await post('login?useCookies=perhaps', account)
    expect([response.status, Object.keys(((await response.json()) as { errors: object }).errors)]).toEqual([
      400,
      ['useCookies'],
    ])
  })

  test('reports failures with the published reasons', async () => {
    const email = await confirmed()
    const attempt = async (password: string, who = email) =>
      ((await (await post('login', { email: who, password })).json()) as { detail: string }).detail
    expect(await attempt(wrong, 'nobody@example.org')).toBe('Failed')
    for (const detail of ['Failed', 'Failed', 'Failed', 'Failed', 'LockedOut', 'LockedOut']) {
      expect(await attempt(wrong)).toBe(detail)
    }
    expect(await attempt(account.password)).toBe('LockedOut')
  })
})

describe('refresh', () => {
  test('gives new tokens of both kinds', async () => {
    const first = (await owner.identity.login({ query: {}, body: account }))!
    const second = await server.visitor().identity.refresh({ body: { refreshToken: first.refreshToken } })
    expect(new Set([first.accessToken, first.refreshToken, second.accessToken, second.refreshToken]).size).toBe(4)
    const client = integrator(server.url, { authorization: `Bearer ${second.accessToken}` })
    expect(await client.auth.me({})).toMatchObject({ email: account.email })
  })

  test('accepts refresh tokens only', async () => {
    const { accessToken, refreshToken } = (await owner.identity.login({ query: {}, body: account }))!
    for (const token of [accessToken, '', 'nonsense', `${refreshToken}x`, refreshToken.slice(0, -4)]) {
      expect((await post('refresh', { refreshToken: token })).status).toBe(401)
    }
  })

  test('ignores an expired access token in the same request', async () => {
    const tokens = (await owner.identity.login({ query: {}, body: account }))!
    clock.advance(61 * minute)
    const client = integrator(server.url, { authorization: `Bearer ${tokens.accessToken}` })
    await expect(client.auth.me({})).rejects.toMatchObject({ status: 401 })
    expect(await client.identity.refresh({ body: { refreshToken: tokens.refreshToken } })).toMatchObject({
      tokenType: 'Bearer',
    })
  })
})

describe('the e-mail address', () => {
  test('is confirmed by the mailed link, which works once', async () => {
    const { email, link } = await registered()
    const member = await server.signIn({ email })
    expect(await member.identity.info({})).toEqual({ email, isEmailConfirmed: false })
    const response = await server.visitor().fetch(link.href)
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'text/plain; charset=utf-8',
      thanks,
    ])
    expect(await member.identity.info({})).toEqual({ email, isEmailConfirmed: true })
    expect(await member.auth.me({})).toMatchObject({ emailConfirmed: true })
    expect((await server.visitor().fetch(link.href)).status).toBe(401)
  })

  test('is confirmed at the stock endpoint by the same code', async () => {
    const { link } = await registered()
    const response = await server.visitor().fetch(`/api/auth/confirmEmail${link.search}`)
    expect([response.status, await response.text()]).toEqual([200, thanks])
  })

  test('is not confirmed by an invalid code, the code of another account, or a day later', async () => {
    const [{ link }, other] = [await registered(), await registered()]
    const confirm = async (changes: Record<string, string>) => {
      const query = new URLSearchParams({ ...Object.fromEntries(link.searchParams), ...changes })
      return (await server.visitor().fetch(`/api/auth/confirmEmail?${query}`)).status
    }
    expect(await confirm({ code: 'nonsense' })).toBe(401)
    expect(await confirm({ code: other.link.searchParams.get('code')! })).toBe(401)
    expect(await confirm({ userId: owner.user.id })).toBe(401)
    expect(await confirm({ changedEmail: other.email })).toBe(401)
    expect((await server.visitor().fetch('/api/auth/confirmEmail?userId=x')).status).toBe(400)
    clock.advance(day)
    expect(await confirm({})).toBe(401)
  })

  test('gets another link on request until it is confirmed; the answer is always the same', async () => {
    const { email, link } = await registered()
    for (const address of [email, account.email, 'nobody@example.org', 'no address']) {
      const response = await post('resendConfirmationEmail', { email: address })
      expect([response.status, await response.text()]).toEqual([200, ''])
    }
    const again = linkIn(await mail.next(email))
    expect(again.href).not.toBe(link.href)
    await server.visitor().fetch(again.href)
    await post('resendConfirmationEmail', { email })
    await post('forgotPassword', { email })
    expect((await mail.next(email)).subject).toBe('Reset your password for Farhand')
    expect(mail.received.filter(({ to }) => to.includes(email))).toEqual([])
  })
})

describe('a forgotten password', () => {
  const resetCode = async (email: string) => {
    await post('forgotPassword', { email })
    const link = linkIn(await mail.next(email))
    expect(link.pathname).toBe('/Account/ResetPassword')
    return link.searchParams.get('code')!
  }

  test.each([
    ['the stock endpoint', 'resetPassword', (code: string) => code],
    ['the stock endpoint, code as it was issued', 'resetPassword', (code: string) => Buffer.from(code, 'base64url')],
    ['the web page', 'complete-password-reset', (code: string) => code],
  ])('is replaced at %s; the code works once, and sessions and tokens end', async (_, path, from) => {
    const email = await confirmed()
    const member = await server.signIn({ email })
    const { accessToken } = (await member.identity.login({ query: {}, body: { email, password: account.password } }))!
    const body = { email, resetCode: String(from(await resetCode(email))), newPassword: next }
    const response = await post(path, body)
    expect([response.status, await response.text()]).toEqual([200, ''])
    await expect(member.auth.me({})).rejects.toMatchObject({ status: 401 })
    const client = integrator(server.url, { authorization: `Bearer ${accessToken}` })
    await expect(client.auth.me({})).rejects.toMatchObject({ status: 401 })
    await server.signIn({ email, password: next })
    expect((await post(path, { ...body, newPassword: 'Other-Horse-9' })).status).toBe(400)
    await server.signIn({ email, password: next })
  })

  test('with an invalid code is a problem at the stock endpoint and a bare string at the web page', async () => {
    const email = await confirmed()
    const body = { email, resetCode: 'nonsense', newPassword: next }
    expect(await (await post('resetPassword', body)).json()).toMatchObject({
      status: 400,
      errors: { InvalidToken: ['Invalid token.'] },
    })
    const response = await post('complete-password-reset', body)
    expect([response.status, await response.text()]).toEqual([
      400,
      'This code is not valid, has expired, or was used before.',
    ])
  })

  test('for an unknown address is InvalidToken at the stock endpoint and success at the web page', async () => {
    const body = { email: 'nobody@example.org', resetCode: 'nonsense', newPassword: next }
    expect((await post('complete-password-reset', body)).status).toBe(200)
    expect((await post('resetPassword', body)).status).toBe(400)
  })

  test('is reset only with a code of its account, of this purpose, and within a day', async () => {
    const [email, { link }] = [await confirmed(), await registered()]
    const [code, other] = [await resetCode(email), await resetCode(await confirmed())]
    const reset = async (resetCodeText: string) =>
      (await post('resetPassword', { email, resetCode: resetCodeText, newPassword: next })).status
    expect(await reset(other)).toBe(400)
    expect(await reset(link.searchParams.get('code')!)).toBe(400)
    clock.advance(day)
    expect(await reset(code)).toBe(400)
  })

  test('is not replaced by an invalid one; the answer has its error codes, and the reset code stays valid', async () => {
    const email = await confirmed()
    const body = { email, resetCode: await resetCode(email) }
    expect(await (await post('resetPassword', { ...body, newPassword: 'short' })).json()).toMatchObject({
      errors: { PasswordTooShort: ['The password must have at least 8 characters.'] },
    })
    expect((await post('resetPassword', { ...body, newPassword: next })).status).toBe(200)
  })

  test('sends no mail to an unconfirmed or unknown address', async () => {
    const [{ email }, sentinel] = [await registered(), await confirmed()]
    for (const address of [email, 'nobody@example.org', sentinel]) {
      expect((await post('forgotPassword', { email: address })).status).toBe(200)
    }
    await mail.next(sentinel)
    expect(mail.received.filter(({ to }) => to.includes(email) || to.includes('nobody@example.org'))).toEqual([])
    expect((await post('forgotPassword', { mail: email })).status).toBe(400)
  })
})

describe('manage/info', () => {
  test('changes the password when given the old one', async () => {
    const email = await confirmed()
    const [member, elsewhere] = [await server.signIn({ email }), await server.signIn({ email })]
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
    await server.signIn({ email, password: next })
  })

  test('changes the address only when the new one is confirmed', async () => {
    const email = await confirmed()
    const newEmail = `new-${email}`
    const member = await server.signIn({ email })
    const answer = await member.identity.changeInfo({ body: { newEmail: newEmail.toUpperCase() } })
    expect(answer).toEqual({ email, isEmailConfirmed: true })
    const link = linkIn(await mail.next(newEmail))
    expect(link.searchParams.get('changedEmail')).toBe(newEmail)
    const response = await server.visitor().fetch(link.href)
    expect([response.status, await response.text()]).toEqual([200, thanks])
    const moved = await server.signIn({ email: newEmail })
    expect(await moved.auth.me({})).toMatchObject({ email: newEmail, userName: newEmail, emailConfirmed: true })
    await expect(server.signIn({ email })).rejects.toThrow('was not signed in')
    expect((await server.visitor().fetch(link.href)).status).toBe(401)
  })

  test('does not change to an address in use, and does not tell that it is', async () => {
    const [email, taken] = [await confirmed(), await confirmed()]
    const member = await server.signIn({ email })
    await member.identity.changeInfo({ body: { newEmail: taken } })
    expect((await server.visitor().fetch(linkIn(await mail.next(taken)).href)).status).toBe(401)
    expect(await member.identity.info({})).toMatchObject({ email })
    await expect(member.identity.changeInfo({ body: { newEmail: 'no address' } })).rejects.toMatchObject({
      problem: { errors: { InvalidEmail: [expect.any(String)] } },
    })
  })

  test('is 404 for a service account, and read-only for a personal access token', async () => {
    const signedIn = await server.signIn()
    const integration = await addServerAccount(signedIn)
    await expect(integration.identity.info({})).rejects.toMatchObject({ status: 404 })
    await expect(integration.identity.changeInfo({ body: {} })).rejects.toMatchObject({ status: 404 })
    await expect(integration.identity.manageTwoFactor({ body: {} })).rejects.toMatchObject({ status: 404 })
    const { plainTextToken } = await signedIn.personalAccessTokens.create({
      tenantId: owner.tenantId,
      body: { name: 'mine' },
    })
    const client = integrator(server.url, { 'x-personal-token': plainTextToken })
    expect(await client.identity.info({})).toMatchObject({ email: account.email })
    await expect(client.identity.changeInfo({ body: {} })).rejects.toMatchObject({ status: 403 })
    await expect(client.identity.manageTwoFactor({ body: {} })).rejects.toMatchObject({ status: 403 })
  })
})
