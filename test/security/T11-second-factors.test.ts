import { beforeEach, expect, test } from 'vitest'
import { manualClock } from '../support/clock.ts'
import { addMember } from '../support/people.ts'
import { account, ownerForFile, serverForFile } from '../support/server.ts'
import { appCode, enableTwoFactor } from '../support/totp.ts'

const minute = 60_000
const clock = manualClock()

const server = serverForFile({ settings: { AppOptions__EnableInteractiveBearerLogin: 'true' }, clock })
const owner = ownerForFile(server)
beforeEach(() => clock.advance(minute))

async function careful() {
  const member = await addMember(server, owner.tenantId, [])
  const { email } = member.user
  const factors = await enableTwoFactor(member, clock)
  clock.advance(30_000)
  const attempt = async (factor: object) => {
    const { user, ...rest } = await server
      .visitor()
      .applianceSession.signIn({ body: { email, password: account.password, ...factor } })
    return { ...rest, isSignedIn: user !== null }
  }
  return { member, email, attempt, code: () => appCode(factors.sharedKey, clock), ...factors }
}

/** Code that is never valid: app codes consist of digits. */
const noCode = { twoFactorCode: 'AAAAAA' }
const noRecoveryCode = { twoFactorRecoveryCode: 'AAAA-AAAA-AAAA-AAAA' }

test.each([
  ['codes of the app', noCode],
  ['recovery codes', noRecoveryCode],
])('five wrong %s lock the account, even for a right answer', async (_, wrong) => {
  const { attempt, code, recoveryCodes } = await careful()
  for (const isLockedOut of [false, false, false, false, true, true]) {
    expect(await attempt(wrong)).toMatchObject({ isSignedIn: false, isLockedOut })
  }
  expect(await attempt({ twoFactorCode: code() })).toMatchObject({ isLockedOut: true })
  expect(await attempt({ twoFactorRecoveryCode: recoveryCodes[0] })).toMatchObject({ isLockedOut: true })
  clock.advance(5 * minute)
  expect(await attempt({ twoFactorCode: code() })).toMatchObject({ isSignedIn: true })
})

const fullWidth = (text: string) =>
  text.replaceAll(/[A-Z\d]/g, (each) => String.fromCodePoint(each.codePointAt(0)! + 0xfee0))

test('codes are accepted in full-width characters, with any dash, and with invisible characters', async () => {
  const { attempt, code, recoveryCodes } = await careful()
  const [first, second, third] = recoveryCodes
  for (const twoFactorRecoveryCode of [
    fullWidth(first!),
    second!.replaceAll('-', '\u2013'),
    `\uFEFF${third!.toLowerCase().replaceAll('-', '\u2011\u200B')}\r\n`,
  ]) {
    expect(await attempt({ twoFactorRecoveryCode })).toMatchObject({ isSignedIn: true })
  }
  const spaced = `${code().slice(0, 3)}\u00A0${code().slice(3)}`
  expect(await attempt({ twoFactorCode: fullWidth(spaced) })).toMatchObject({ isSignedIn: true })
})

test.each(['\u0661\u0662\u0663\u0664\u0665\u0666', '12345\u00E9', '1234567', '\u{1F600}12345'])(
  '%s is a wrong code of the app',
  async (twoFactorCode) => {
    const { attempt } = await careful()
    expect(await attempt({ twoFactorCode })).toMatchObject({ isSignedIn: false, isLockedOut: false })
  },
)

test('the right password in between does not reset the count', async () => {
  const { attempt } = await careful()
  for (let count = 0; count < 4; count++) {
    expect(await attempt(noCode)).toMatchObject({ isLockedOut: false })
    expect(await attempt({})).toMatchObject({ requiresTwoFactor: true })
  }
  expect(await attempt(noCode)).toMatchObject({ isLockedOut: true })
})

test('wrong codes and wrong passwords are counted together, at every sign-in route', async () => {
  const { attempt, email } = await careful()
  const visitor = server.visitor()
  const body = { email, password: account.password }
  await attempt(noCode)
  await attempt({ password: 'Wrong-Horse-7' })
  await expect(visitor.auth.interactiveLogin({ body: { ...body, ...noCode } })).rejects.toMatchObject({ status: 401 })
  const change = { email, currentPassword: account.password, newPassword: 'Newer-Horse-8', ...noRecoveryCode }
  await expect(visitor.auth.changePasswordWithCredentials({ body: change })).rejects.toMatchObject({ status: 400 })
  const last = visitor.identity.login({ query: {}, body: { ...body, ...noCode } })
  await expect(last).rejects.toMatchObject({ message: 'LockedOut' })
})

test('many simultaneous guesses are limited to five checks', async () => {
  const { attempt, code } = await careful()
  const guesses = await Promise.all(Array.from({ length: 10 }, () => attempt(noCode)))
  expect(guesses.filter(({ isLockedOut }) => !isLockedOut)).toHaveLength(4)
  expect(await attempt({ twoFactorCode: code() })).toMatchObject({ isLockedOut: true })
})

test('a stolen session has five guesses at the app code, and locks no other session', async () => {
  const member = await addMember(server, owner.tenantId, [])
  const { sharedKey } = await member.identity.manageTwoFactor({ body: {} })
  const enable = (twoFactorCode: string) => member.identity.manageTwoFactor({ body: { enable: true, twoFactorCode } })
  for (let count = 0; count < 5; count++) {
    await expect(enable('AAAAAA')).rejects.toMatchObject({ status: 400 })
  }
  await expect(enable(appCode(sharedKey, clock))).rejects.toMatchObject({ status: 400 })
  await server.signIn({ email: member.user.email })
  clock.advance(5 * minute)
  expect(await enable(appCode(sharedKey, clock))).toMatchObject({ isTwoFactorEnabled: true })
})

test.each(['completePasswordReset', 'resetPassword'] as const)(
  'wrong reset codes at %s lock the account',
  async (door) => {
    const member = await addMember(server, owner.tenantId, [])
    const { email } = member.user
    const body = { email, resetCode: 'nonsense', newPassword: 'Newer-Horse-8' }
    const visitor = server.visitor()
    const attempt = () =>
      door === 'resetPassword' ? visitor.identity.resetPassword({ body }) : visitor.auth.completePasswordReset({ body })
    for (let count = 0; count < 6; count++) {
      await expect(attempt()).rejects.toMatchObject({ status: 400 })
    }
    const signIn = await visitor.applianceSession.signIn({ body: { email, password: account.password } })
    expect(signIn).toMatchObject({ isLockedOut: true, user: null })
  },
)

test.each([
  '/api/auth/interactive-login',
  '/api/auth/change-password-with-credentials',
  '/api/auth/complete-password-reset',
  '/api/auth/login',
  '/api/auth/register',
  '/api/auth/forgotPassword',
  '/api/auth/resendConfirmationEmail',
  '/api/auth/resetPassword',
  '/api/appliance/v1/password-resets',
])('%s accepts twenty attempts a minute from one address', async (path) => {
  const attempt = async () => (await server.visitor().fetch(path, { method: 'POST' })).status
  for (let count = 0; count < 20; count++) {
    expect(await attempt()).toBe(400)
  }
  expect(await attempt()).toBe(429)
})
