import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startIdentityServer } from '../../support/identity.ts'
import { linkIn } from '../../support/mail.ts'
import { account, integrator } from '../../support/server.ts'

const minute = 60_000
const day = 24 * 60 * minute
const next = 'Newer-Horse-8'
const thanks = 'Thank you for confirming your email.'

let identity: Awaited<ReturnType<typeof startIdentityServer>>

beforeAll(async () => {
  identity = await startIdentityServer()
})
// Resets the limit on sign-in attempts before each test.
beforeEach(() => identity.clock.advance(minute))
afterAll(() => identity.stop())

describe('the e-mail address', () => {
  test('is confirmed by the mailed link, which works once', async () => {
    const { email, link } = await identity.registered()
    const member = await identity.server.signIn({ email })
    expect(await member.identity.info({})).toEqual({ email, isEmailConfirmed: false })
    const response = await identity.server.visitor().fetch(link.href)
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'text/plain; charset=utf-8',
      thanks,
    ])
    expect(await member.identity.info({})).toEqual({ email, isEmailConfirmed: true })
    expect(await member.auth.me({})).toMatchObject({ emailConfirmed: true })
    expect((await identity.server.visitor().fetch(link.href)).status).toBe(401)
  })

  test('is confirmed at the stock endpoint by the same code', async () => {
    const { link } = await identity.registered()
    const response = await identity.server.visitor().fetch(`/api/auth/confirmEmail${link.search}`)
    expect([response.status, await response.text()]).toEqual([200, thanks])
  })

  test('is not confirmed by an invalid code, the code of another account, or a day later', async () => {
    const [{ link }, other] = [await identity.registered(), await identity.registered()]
    const confirm = async (changes: Record<string, string>) => {
      const query = new URLSearchParams({ ...Object.fromEntries(link.searchParams), ...changes })
      return (await identity.server.visitor().fetch(`/api/auth/confirmEmail?${query}`)).status
    }
    expect(await confirm({ code: 'nonsense' })).toBe(401)
    expect(await confirm({ code: other.link.searchParams.get('code')! })).toBe(401)
    expect(await confirm({ userId: identity.owner.user.id })).toBe(401)
    expect(await confirm({ changedEmail: other.email })).toBe(401)
    expect((await identity.server.visitor().fetch('/api/auth/confirmEmail?userId=x')).status).toBe(400)
    identity.clock.advance(day)
    expect(await confirm({})).toBe(401)
  })

  test('gets another link on request until it is confirmed; the answer is always the same', async () => {
    const { email, link } = await identity.registered()
    for (const address of [email, account.email, 'nobody@example.org', 'no address']) {
      const response = await identity.post('resendConfirmationEmail', { email: address })
      expect([response.status, await response.text()]).toEqual([200, ''])
    }
    const again = linkIn(await identity.mail.next(email))
    expect(again.href).not.toBe(link.href)
    await identity.server.visitor().fetch(again.href)
    await identity.post('resendConfirmationEmail', { email })
    await identity.post('forgotPassword', { email })
    expect((await identity.mail.next(email)).subject).toBe('Reset your password for Farhand')
    expect(identity.mail.received.filter(({ to }) => to.includes(email))).toEqual([])
  })
})

describe('a forgotten password', () => {
  const resetCode = async (email: string) => {
    await identity.post('forgotPassword', { email })
    const link = linkIn(await identity.mail.next(email))
    expect(link.pathname).toBe('/Account/ResetPassword')
    return link.searchParams.get('code')!
  }

  test.each([
    ['the stock endpoint', 'resetPassword', (code: string) => code],
    ['the stock endpoint, code as it was issued', 'resetPassword', (code: string) => Buffer.from(code, 'base64url')],
    ['the web page', 'complete-password-reset', (code: string) => code],
  ])('is replaced at %s; the code works once, and sessions and tokens end', async (_, path, from) => {
    const email = await identity.confirmed()
    const member = await identity.server.signIn({ email })
    const { accessToken } = (await member.identity.login({ query: {}, body: { email, password: account.password } }))!
    const body = { email, resetCode: String(from(await resetCode(email))), newPassword: next }
    const response = await identity.post(path, body)
    expect([response.status, await response.text()]).toEqual([200, ''])
    await expect(member.auth.me({})).rejects.toMatchObject({ status: 401 })
    const client = integrator(identity.server.url, { authorization: `Bearer ${accessToken}` })
    await expect(client.auth.me({})).rejects.toMatchObject({ status: 401 })
    await identity.server.signIn({ email, password: next })
    expect((await identity.post(path, { ...body, newPassword: 'Other-Horse-9' })).status).toBe(400)
    await identity.server.signIn({ email, password: next })
  })

  test('with an invalid code is a problem at the stock endpoint and a bare string at the web page', async () => {
    const email = await identity.confirmed()
    const body = { email, resetCode: 'nonsense', newPassword: next }
    expect(await (await identity.post('resetPassword', body)).json()).toMatchObject({
      status: 400,
      errors: { InvalidToken: ['Invalid token.'] },
    })
    const response = await identity.post('complete-password-reset', body)
    expect([response.status, await response.text()]).toEqual([
      400,
      'This code is not valid, has expired, or was used before.',
    ])
  })

  test('with a weak password is a problem at the web page', async () => {
    const response = await identity.post('complete-password-reset', {
      email: 'nobody@example.org',
      resetCode: 'nonsense',
      newPassword: 'weak',
    })
    expect(await response.json()).toMatchObject({ status: 400, errors: { newPassword: expect.any(Array) } })
  })

  test('for an unknown address is refused like a bad code', async () => {
    const body = { email: 'nobody@example.org', resetCode: 'nonsense', newPassword: next }
    const response = await identity.post('complete-password-reset', body)
    expect([response.status, await response.text()]).toEqual([
      400,
      'This code is not valid, has expired, or was used before.',
    ])
    expect((await identity.post('resetPassword', body)).status).toBe(400)
  })

  test('is reset only with a code of its account, of this purpose, and within a day', async () => {
    const [email, { link }] = [await identity.confirmed(), await identity.registered()]
    const [code, other] = [await resetCode(email), await resetCode(await identity.confirmed())]
    const reset = async (resetCodeText: string) =>
      (await identity.post('resetPassword', { email, resetCode: resetCodeText, newPassword: next })).status
    expect(await reset(other)).toBe(400)
    expect(await reset(link.searchParams.get('code')!)).toBe(400)
    identity.clock.advance(day)
    expect(await reset(code)).toBe(400)
  })

  test('is not replaced by an invalid one; the answer has its error codes, and the reset code stays valid', async () => {
    const email = await identity.confirmed()
    const body = { email, resetCode: await resetCode(email) }
    expect(await (await identity.post('resetPassword', { ...body, newPassword: 'short' })).json()).toMatchObject({
      errors: { PasswordTooShort: ['The password must have at least 8 characters.'] },
    })
    expect((await identity.post('resetPassword', { ...body, newPassword: next })).status).toBe(200)
  })

  test('sends no mail to an unconfirmed or unknown address', async () => {
    const [{ email }, sentinel] = [await identity.registered(), await identity.confirmed()]
    for (const address of [email, 'nobody@example.org', sentinel]) {
      expect((await identity.post('forgotPassword', { email: address })).status).toBe(200)
    }
    await identity.mail.next(sentinel)
    expect(identity.mail.received.filter(({ to }) => to.includes(email) || to.includes('nobody@example.org'))).toEqual(
      [],
    )
    expect((await identity.post('forgotPassword', { mail: email })).status).toBe(400)
  })
})
