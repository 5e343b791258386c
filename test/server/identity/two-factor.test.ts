import { beforeEach, describe, expect, test } from 'vitest'
import { manualClock } from '../../support/clock.ts'
import { addMember, addUser } from '../../support/people.ts'
import { account, integrator, ownerForFile, serverForFile } from '../../support/server.ts'
import { appCode, enableTwoFactor } from '../../support/totp.ts'

const step = 30_000
const next = 'Newer-Horse-8'
const clock = manualClock()

const server = serverForFile({ settings: { AppOptions__EnableInteractiveBearerLogin: 'true' }, clock })
const owner = ownerForFile(server)
// Resets the attempt limit, and moves to an unused code.
beforeEach(() => clock.advance(60_000))

/** Creates a user with an authenticator app, whose first code is used. */
async function careful() {
  const member = await addMember(server, owner.tenantId, [])
  const { email } = member.user
  const factors = await enableTwoFactor(member, clock)
  clock.advance(step)
  const signIn = (more: object = {}) =>
    server.visitor().applianceSession.signIn({ body: { email, password: account.password, ...more } })
  const code = (steps = 0) => appCode(factors.sharedKey, clock, steps)
  return { member, email, signIn, code, ...factors }
}

describe('manage/2fa', () => {
  test('creates a key, is enabled with a code of it, and then shows ten recovery codes once', async () => {
    const member = await addMember(server, owner.tenantId, [])
    const first = await member.identity.manageTwoFactor({ body: {} })
    expect(first).toEqual({
      sharedKey: expect.stringMatching(/^[A-Z2-7]{32}$/),
      recoveryCodesLeft: 0,
      recoveryCodes: null,
      isTwoFactorEnabled: false,
      isMachineRemembered: false,
    })
    const enabled = await member.identity.manageTwoFactor({
      body: { enable: true, twoFactorCode: appCode(first.sharedKey, clock) },
    })
    expect(enabled).toMatchObject({ sharedKey: first.sharedKey, recoveryCodesLeft: 10, isTwoFactorEnabled: true })
    expect(new Set(enabled.recoveryCodes).size).toBe(10)
    expect(await member.identity.manageTwoFactor({ body: { forgetMachine: true } })).toEqual({
      ...enabled,
      sharedKey: '',
      recoveryCodes: null,
    })
    expect(await member.auth.me({})).toMatchObject({ twoFactorEnabled: true })
    const stored =
      JSON.stringify(await server.rows('SELECT * FROM users')) +
      JSON.stringify(await server.rows('SELECT * FROM recovery_codes'))
    expect(stored).not.toContain(first.sharedKey)
    expect(enabled.recoveryCodes!.filter((code) => stored.includes(code.replaceAll('-', '')))).toEqual([])
  })

  test.each([
    [{ enable: true }, 'RequiresTwoFactor'],
    [{ enable: true, twoFactorCode: '000000' }, 'InvalidTwoFactorCode'],
    [{ enable: true, twoFactorCode: '000000', resetSharedKey: true }, 'CannotResetSharedKeyAndEnable'],
  ])('%j is 400 with %s', async (body, code) => {
    const member = await addMember(server, owner.tenantId, [])
    await member.identity.manageTwoFactor({ body: {} })
    await expect(member.identity.manageTwoFactor({ body })).rejects.toMatchObject({
      status: 400,
      problem: { errors: { [code]: [expect.any(String)] } },
    })
    expect(await member.auth.me({})).toMatchObject({ twoFactorEnabled: false })
  })

  test('is turned off on request and by a new key', async () => {
    const { member, sharedKey, signIn } = await careful()
    const off = await member.identity.manageTwoFactor({ body: { enable: false } })
    expect(off).toMatchObject({ sharedKey, isTwoFactorEnabled: false, recoveryCodesLeft: 10 })
    expect(await signIn()).toMatchObject({ user: {} })
    const again = await careful()
    const reset = await again.member.identity.manageTwoFactor({ body: { resetSharedKey: true } })
    expect(reset.isTwoFactorEnabled).toBe(false)
    expect(reset.sharedKey).not.toBe(again.sharedKey)
    const enable = again.member.identity.manageTwoFactor({ body: { enable: true, twoFactorCode: again.code() } })
    await expect(enable).rejects.toMatchObject({ status: 400 })
  })

  test('replaces the old recovery codes by new ones', async () => {
    const { member, recoveryCodes, signIn } = await careful()
    const { recoveryCodes: fresh } = await member.identity.manageTwoFactor({ body: { resetRecoveryCodes: true } })
    expect(await signIn({ twoFactorRecoveryCode: recoveryCodes[0] })).toMatchObject({ user: null })
    expect(await signIn({ twoFactorRecoveryCode: fresh![0] })).toMatchObject({ user: {} })
  })

  test('ends every other session and all tokens after a change, but not the session that made it', async () => {
    const member = await addMember(server, owner.tenantId, [])
    const { email } = member.user
    const elsewhere = await server.signIn({ email })
    const { accessToken } = (await member.identity.login({ query: {}, body: { email, password: account.password } }))!
    const client = integrator(server.url, { authorization: `Bearer ${accessToken}` })
    const { sharedKey } = await client.identity.manageTwoFactor({ body: {} })
    expect(await elsewhere.auth.me({})).toMatchObject({ email })
    await member.identity.manageTwoFactor({ body: { enable: true, twoFactorCode: appCode(sharedKey, clock) } })
    expect(await member.auth.me({})).toMatchObject({ email })
    await expect(elsewhere.auth.me({})).rejects.toMatchObject({ status: 401 })
    await expect(client.auth.me({})).rejects.toMatchObject({ status: 401 })
  })
})

describe('signing in', () => {
  test('reports after the right password that a code is needed', async () => {
    const { signIn, code } = await careful()
    expect(await signIn()).toEqual({
      isLockedOut: false,
      requiresTwoFactor: true,
      requiresPasswordChange: false,
      requiresEmailConfirmation: false,
      isDisabled: false,
      user: null,
    })
    expect(await signIn({ twoFactorCode: '' })).toMatchObject({ requiresTwoFactor: true })
    expect(await signIn({ password: 'Wrong-Horse-7' })).toMatchObject({ requiresTwoFactor: false, user: null })
    const wrongCode = await signIn({ twoFactorCode: code(10) })
    expect(wrongCode).toMatchObject({ requiresTwoFactor: false, isLockedOut: false, user: null })
    expect(await signIn({ twoFactorCode: code() })).toMatchObject({ user: { twoFactorEnabled: true } })
  })

  test('accepts a code once, with spaces and dashes, and from a clock that is half a minute off', async () => {
    const { signIn, code } = await careful()
    const early = code(1)
    const spaced = `${early.slice(0, 3)} ${early.slice(3, 5)}-${early.slice(5)}`
    expect(await signIn({ twoFactorCode: spaced })).toMatchObject({ user: {} })
    expect(await signIn({ twoFactorCode: early })).toMatchObject({ user: null })
    // An unused code that is older than the last used code is rejected.
    expect(await signIn({ twoFactorCode: code() })).toMatchObject({ user: null })
    clock.advance(3 * step)
    expect(await signIn({ twoFactorCode: code(-1) })).toMatchObject({ user: {} })
    expect(await signIn({ twoFactorCode: code(2) })).toMatchObject({ user: null })
  })

  test('accepts a recovery code once, in any spelling, and prefers it to an app code', async () => {
    const { member, signIn, code, recoveryCodes } = await careful()
    const [first = '', second = ''] = recoveryCodes
    const spelled = first.toLowerCase().replaceAll('-', ' ')
    expect(await signIn({ twoFactorRecoveryCode: spelled })).toMatchObject({ user: {} })
    expect(await signIn({ twoFactorRecoveryCode: first, twoFactorCode: code() })).toMatchObject({ user: null })
    expect(await signIn({ twoFactorRecoveryCode: second })).toMatchObject({ user: {} })
    expect(await member.identity.manageTwoFactor({ body: {} })).toMatchObject({ recoveryCodesLeft: 8 })
  })

  test('succeeds once when many use the same code at the same time', async () => {
    const { signIn, code, recoveryCodes } = await careful()
    for (const factor of [{ twoFactorCode: code() }, { twoFactorRecoveryCode: recoveryCodes[0] }]) {
      const answers = await Promise.all(Array.from({ length: 3 }, () => signIn(factor)))
      expect(answers.filter(({ user }) => user)).toHaveLength(1)
      clock.advance(60_000)
    }
  })

  test('works the same way at the API', async () => {
    const { email, code, member } = await careful()
    const body = { email, password: account.password }
    expect(await member.auth.interactiveLogin({ body })).toEqual({
      requiresTwoFactor: true,
      isLockedOut: false,
      requiresPasswordChange: false,
    })
    const wrongCode = { ...body, twoFactorCode: code(10) }
    await expect(member.auth.interactiveLogin({ body: wrongCode })).rejects.toMatchObject({ status: 401 })
    expect(await member.auth.interactiveLogin({ body: { ...body, twoFactorCode: code() } })).toMatchObject({
      tokens: { tokenType: 'Bearer' },
    })
    clock.advance(step)
    const login = (more: object) => member.identity.login({ query: {}, body: { ...body, ...more } })
    await expect(login({})).rejects.toMatchObject({ status: 401, message: 'RequiresTwoFactor' })
    await expect(login({ twoFactorCode: code(10) })).rejects.toMatchObject({ status: 401, message: 'Failed' })
    expect(await login({ twoFactorCode: code() })).toMatchObject({ tokenType: 'Bearer' })
  })

  test('needs the code also for a password change without a session: 400 without it or with a wrong one', async () => {
    const { email, code, member } = await careful()
    const change = (twoFactorCode?: string) =>
      member.auth.changePasswordWithCredentials({
        body: { email, currentPassword: account.password, newPassword: next, twoFactorCode },
      })
    await expect(change()).rejects.toMatchObject({
      status: 400,
      problem: { errors: { twoFactorCode: [expect.stringContaining('required')] } },
    })
    await expect(change(code(10))).rejects.toMatchObject({ status: 400 })
    await change(code())
    clock.advance(step)
    await server.visitor().applianceSession.signIn({ body: { email, password: next, twoFactorCode: code() } })
  })

  test('keeps keys, used codes and recovery codes over a restart', async () => {
    const { signIn, code, recoveryCodes } = await careful()
    const used = code()
    expect(await signIn({ twoFactorCode: used })).toMatchObject({ user: {} })
    await server.restart()
    expect(await signIn({ twoFactorCode: used })).toMatchObject({ user: null })
    expect(await signIn({ twoFactorCode: code(1) })).toMatchObject({ user: {} })
    expect(await signIn({ twoFactorRecoveryCode: recoveryCodes[3] })).toMatchObject({ user: {} })
  })
})

test('the sealed key of one account is refused for another', async () => {
  const [mine, theirs] = [await careful(), await careful()]
  await server.whileStopped(async (database) => {
    const [row] = await database.all<{ twoFactorSecret: string }>('SELECT twoFactorSecret FROM users WHERE id = ?', [
      mine.member.user.id,
    ])
    await server.changeRow('users', theirs.member.user.id, `twoFactorSecret = '${row!.twoFactorSecret}'`)
  })
  const response = await server.visitor().fetch('/api/appliance/v1/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: theirs.email, password: account.password, twoFactorCode: mine.code() }),
  })
  expect(response.status).toBe(500)
  server.log.claimErrors(/failed unexpectedly/)
})

test('an administrator turns off the second factor of another user, but not of a user with more rights', async () => {
  const member = await addUser(server, owner, ['Tenant Administrator'])
  await enableTwoFactor(member, clock)
  const { tenantId } = owner
  await owner.applianceEntry.disableTwoFactor({ tenantId, params: { userId: member.user.id } })
  expect((await member.fetch('/api/auth/me')).status).toBe(401)
  const again = await server.signIn({ email: member.user.email })
  const { items } = await again.applianceNotices.list({})
  expect(items.map(({ kind }) => kind).toSorted()).toEqual(['two-factor-disabled', 'two-factor-enabled'])
  again.provesWith = account.password
  const refused = await again.applianceEntry
    .disableTwoFactor({ tenantId, params: { userId: owner.user.id } })
    .catch(({ status }: { status: number }) => status)
  expect(refused).toBe(403)
})
