import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { manualClock } from '../../support/clock.ts'
import { startMailServer } from '../../support/mail.ts'
import { addMember } from '../../support/people.ts'
import { account, integrator, serverForFile, startTestServer, type Member } from '../../support/server.ts'
import { appCode } from '../../support/totp.ts'

const clock = manualClock()
const server = serverForFile({ clock, settings: { AppOptions__AuthenticatorIssuerName: 'Engine room' } })
let owner: Member

beforeAll(async () => {
  owner = await server.owner()
})
beforeEach(() => clock.advance(60_000))

/** Notices that a new sign-in of a member lists. */
async function noticeKinds({ user: { email } }: Member, changes: Record<string, string> = {}) {
  const visitor = server.visitor()
  await visitor.applianceSession.signIn({ body: { email, password: account.password, ...changes } })
  return (await visitor.applianceNotices.list({})).items.map(({ kind, subject }) => ({ kind, subject }))
}

/** Turns on two-factor authentication as the page does. */
async function turnOn(member: Member) {
  const { sharedKey, uri } = await member.applianceAccount.setUpTwoFactor({})
  const body = { twoFactorCode: appCode(sharedKey, clock) }
  return { sharedKey, uri, ...(await member.applianceAccount.enableTwoFactor({ body })) }
}

describe('two-factor authentication without bearer login', () => {
  test('the first code of the app turns it on, and sign-in then asks for a code', async () => {
    const member = await addMember(server, owner.tenantId, [])
    const { sharedKey, uri, recoveryCodes } = await turnOn(member)
    expect(uri).toContain(`otpauth://totp/Engine%20room:${encodeURIComponent(member.user.email)}?`)
    expect(new URL(uri).searchParams.get('secret')).toBe(sharedKey)
    expect(new Set(recoveryCodes).size).toBe(10)
    expect(await member.applianceAccount.get({})).toMatchObject({ isTwoFactorEnabled: true, recoveryCodesLeft: 10 })
    const body = { email: member.user.email, password: account.password }
    expect(await server.visitor().applianceSession.signIn({ body })).toMatchObject({
      requiresTwoFactor: true,
      user: null,
    })
    const withCode = { ...body, twoFactorRecoveryCode: recoveryCodes[0]! }
    expect((await server.visitor().applianceSession.signIn({ body: withCode })).user?.id).toBe(member.user.id)
    expect(await member.applianceAccount.get({})).toMatchObject({ recoveryCodesLeft: 9 })
    expect(await noticeKinds(member, { twoFactorRecoveryCode: recoveryCodes[1]! })).toEqual([
      { kind: 'two-factor-enabled', subject: null },
    ])
  })

  test('a wrong first code leaves it off', async () => {
    const member = await addMember(server, owner.tenantId, [])
    await member.applianceAccount.setUpTwoFactor({})
    await expect(member.applianceAccount.enableTwoFactor({ body: { twoFactorCode: '000000' } })).rejects.toMatchObject({
      status: 400,
    })
    expect(await member.applianceAccount.get({})).toMatchObject({ isTwoFactorEnabled: false })
  })

  test('each setup makes another key, and none while it is on', async () => {
    const member = await addMember(server, owner.tenantId, [])
    const first = await member.applianceAccount.setUpTwoFactor({})
    const { sharedKey } = await turnOn(member)
    expect(sharedKey).not.toBe(first.sharedKey)
    await expect(member.applianceAccount.setUpTwoFactor({})).rejects.toMatchObject({ status: 409 })
    await expect(member.applianceAccount.enableTwoFactor({ body: { twoFactorCode: '000000' } })).rejects.toMatchObject({
      status: 409,
    })
  })

  test('new recovery codes replace the earlier ones, and turning it off asks for no code any more', async () => {
    const member = await addMember(server, owner.tenantId, [])
    await expect(member.applianceAccount.renewRecoveryCodes({})).rejects.toMatchObject({ status: 409 })
    const { recoveryCodes } = await turnOn(member)
    const renewed = await member.applianceAccount.renewRecoveryCodes({})
    const body = { email: member.user.email, password: account.password }
    const old = { ...body, twoFactorRecoveryCode: recoveryCodes[0]! }
    expect((await server.visitor().applianceSession.signIn({ body: old })).user).toBeNull()
    const fresh = { ...body, twoFactorRecoveryCode: renewed.recoveryCodes[0]! }
    expect((await server.visitor().applianceSession.signIn({ body: fresh })).user).not.toBeNull()
    await member.applianceAccount.disableTwoFactor({})
    expect((await server.visitor().applianceSession.signIn({ body })).user).not.toBeNull()
    expect((await noticeKinds(member)).map(({ kind }) => kind).toSorted()).toEqual([
      'recovery-codes-renewed',
      'two-factor-disabled',
      'two-factor-enabled',
    ])
  })
})

describe('the address', () => {
  test('changes at once where the server sends no mail', async () => {
    const member = await addMember(server, owner.tenantId, [])
    const email = `new-${member.user.email}`
    expect(await member.applianceAccount.changeEmail({ body: { email } })).toEqual({ isConfirmationSent: false })
    expect(await member.auth.me({})).toMatchObject({ email, userName: email, emailConfirmed: false })
    await server.signIn({ email })
    expect(await noticeKinds(member, { email })).toEqual([{ kind: 'email-changed', subject: email }])
  })

  test('of another user is rejected', async () => {
    const member = await addMember(server, owner.tenantId, [])
    await expect(member.applianceAccount.changeEmail({ body: { email: account.email } })).rejects.toMatchObject({
      status: 400,
      problem: { errors: { email: ['is already taken'] } },
    })
  })

  test('changes with the mailed link where the server sends mail, and the former address is told', async () => {
    const mail = await startMailServer()
    const mailing = await startTestServer({ settings: mail.settings })
    const member = await mailing.owner()
    const link = /https?:\/\/\S+/
    await fetch(link.exec((await mail.next(account.email)).text)![0])
    const email = 'ada@analytical.example'
    expect(await member.applianceAccount.get({})).toMatchObject({ isMailOn: true, isEmailConfirmed: true })
    expect(await member.applianceAccount.changeEmail({ body: { email } })).toEqual({ isConfirmationSent: true })
    expect(await member.auth.me({})).toMatchObject({ email: account.email })
    await fetch(link.exec((await mail.next(email)).text)![0])
    expect(await member.auth.me({})).toMatchObject({ email, emailConfirmed: true })
    const told = await mail.next(account.email)
    expect(told.text).toContain(`The address of your account was changed to ${email}.`)
    await member.applianceAccount.createToken({ body: { name: 'Nightly <b>export</b>' } })
    const token = await mail.next(email)
    expect(token.text).toContain('The access token "Nightly <b>export</b>" was made.')
    expect(token.html).not.toContain('<b>')
    await mailing.stop()
  })
})

test('a changed password is a notice of its owner in every session but the one that changed it', async () => {
  const member = await addMember(server, owner.tenantId, [])
  await member.auth.changePassword({ body: { currentPassword: account.password, newPassword: 'Newer-Horse-8' } })
  expect((await member.applianceNotices.list({})).items).toEqual([])
  expect(await noticeKinds(member, { password: 'Newer-Horse-8' })).toEqual([
    { kind: 'password-changed', subject: null },
  ])
})

const tokenRights = ['personal-access-token.self.read', 'personal-access-token.self.write'] as const

describe('access tokens', () => {
  test('a restricted token holds its rights until its end', async () => {
    const member = await addMember(server, owner.tenantId, [...tokenRights, 'tenant.users.read', 'device.read'])
    const expiresAt = new Date(clock.now() + 60_000).toISOString()
    const { token, plainTextToken } = await member.applianceAccount.createToken({
      body: { name: 'export', rights: ['tenant.users.read'], expiresAt },
    })
    expect(token).toMatchObject({ permissionMode: 'Restricted', rights: ['tenant.users.read'], expiresAt })
    const { tenantId } = member
    const program = integrator(server.url, { 'x-personal-token': plainTextToken })
    await program.users.list({ tenantId })
    await expect(program.personalAccessTokens.list({ tenantId })).rejects.toMatchObject({ status: 403 })
    clock.advance(60_001)
    await expect(program.users.list({ tenantId })).rejects.toMatchObject({ status: 401 })
    const { items } = await member.applianceAccount.listTokens({})
    expect(items).toMatchObject([{ id: token.id, expiresAt, rights: ['tenant.users.read'] }])
  })

  test('only rights that the owner holds can be chosen, and only a future end', async () => {
    const member = await addMember(server, owner.tenantId, [...tokenRights, 'device.read'])
    const { items } = await member.applianceAccount.listTokenRights({})
    expect(items.toSorted()).toEqual(['device.read', ...tokenRights])
    await expect(
      member.applianceAccount.createToken({ body: { name: 'more', rights: ['tenant.users.read'] } }),
    ).rejects.toMatchObject({ status: 400 })
    const past = new Date(clock.now()).toISOString()
    await expect(
      member.applianceAccount.createToken({ body: { name: 'past', expiresAt: past } }),
    ).rejects.toMatchObject({ status: 400 })
  })

  test('making and revoking one are notices of the owner', async () => {
    const member = await addMember(server, owner.tenantId, tokenRights)
    const { token } = await member.applianceAccount.createToken({ body: { name: 'export' } })
    await member.personalAccessTokens.delete({ tenantId: member.tenantId, params: { id: token.id } })
    expect((await noticeKinds(member)).map(({ kind }) => kind).toSorted()).toEqual([
      'own-token-created',
      'token-revoked',
    ])
  })
})

test('sign-ins carry program, address, begin and last use, also over a restart', async () => {
  const member = await addMember(server, owner.tenantId, [])
  const body = { email: member.user.email, password: account.password }
  await server.visitor().fetch('/api/appliance/v1/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': `<b>Tablet</b>${'x'.repeat(1_000)}` },
    body: JSON.stringify(body),
  })
  const began = clock.now()
  clock.advance(5_000)
  await member.auth.me({})
  await server.restart()
  const { items } = await member.applianceAccount.listSignIns({})
  expect(items).toMatchObject([
    { kind: 'Browser', isCurrent: true, remoteAddress: '127.0.0.1', lastSeenAt: new Date(clock.now()).toISOString() },
    { kind: 'Browser', isCurrent: false, createdAt: new Date(began).toISOString() },
  ])
  expect(items[1]!.userAgent).toMatch(/^<b>Tablet<\/b>x{385,}$/)
  expect(items[1]!.userAgent).toHaveLength(400)
  await member.applianceAccount.endSignIn({ params: { signInId: items[1]!.id } })
  expect((await member.applianceAccount.listSignIns({})).items).toHaveLength(1)
  await expect(member.applianceAccount.endSignIn({ params: { signInId: items[1]!.id } })).rejects.toMatchObject({
    status: 404,
  })
})
