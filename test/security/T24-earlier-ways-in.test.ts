import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { enroll } from '../support/agent.ts'
import { linkIn, useMailServer } from '../support/mail.ts'
import { integrator, openToAll, register, useTestServer } from '../support/server.ts'

test('T24: tokens, invitations and power orders from before and after the confirmation of an address end with the first mailed reset of its password', async () => {
  const mail = await useMailServer()
  const server = await useTestServer({ settings: { ...mail.settings, ...openToAll } })
  await server.owner()
  const email = 'victim@example.org'
  // A stranger registers the address of the victim, and makes a token without an end.
  const stranger = await register(server.visitor(), { email, organizationName: 'Trap' })
  const makeToken = () =>
    stranger.applianceAccount.createToken({ body: { name: 'Later', rights: null, expiresAt: null } })
  const tokens = [await makeToken()]
  const inviteeEmail = 'later@example.org'
  const { inviteUrl } = await stranger.invites.create({ tenantId: stranger.tenantId, body: { inviteeEmail } })
  const { id: deviceId } = await enroll(stranger)
  const made = { makerKind: 'User', makerId: stranger.user.id, madeWith: null, makerName: email } as const
  const order = { id: randomUUID(), deviceId, change: 'shutdown', person: 'told', confirmedAt: null } as const
  await server.write(({ PowerOrder }, transaction) =>
    PowerOrder.create({ ...order, ...made, dueAt: Date.now(), createdAt: Date.now() }, { transaction }),
  )
  // The victim confirms the address, and chooses a password of their own.
  await fetch(linkIn(await mail.next(email, 'Confirm')))
  tokens.push(await makeToken())
  await server.visitor().applianceSession.requestPasswordReset({ body: { email } })
  const { searchParams } = linkIn(await mail.next(email, 'Reset your password'))
  const body = { email, resetCode: searchParams.get('code')!, newPassword: 'Newer-Horse-8' }
  await server.visitor().auth.completePasswordReset({ body })
  for (const { plainTextToken } of tokens) {
    const program = integrator(server.url, { 'x-personal-token': plainTextToken })
    await expect(program.auth.me({})).rejects.toMatchObject({ status: 401 })
  }
  const activationCode = inviteUrl.split('/').at(-1)!
  const invitation = await server.visitor().applianceEntry.invitation({ body: { activationCode } })
  expect(invitation).toMatchObject({ state: 'unknown' })
  expect(await server.rows('SELECT id FROM power_orders')).toEqual([])

  // Tokens that the owner makes later stay.
  const owner = await server.signIn({ email, password: 'Newer-Horse-8' })
  const later = await owner.applianceAccount.createToken({ body: { name: 'Mine', rights: null, expiresAt: null } })
  await server.visitor().applianceSession.requestPasswordReset({ body: { email } })
  const again = linkIn(await mail.next(email, 'Reset your password')).searchParams.get('code')!
  await server.visitor().auth.completePasswordReset({ body: { ...body, resetCode: again } })
  const own = integrator(server.url, { 'x-personal-token': later.plainTextToken })
  expect(await own.auth.me({})).toMatchObject({ email })
})

test('T24: where registration is closed, a token from before the confirmation outlives a mailed reset', async () => {
  const mail = await useMailServer()
  const server = await useTestServer({ settings: mail.settings })
  const { user, applianceAccount } = await server.owner()
  const { plainTextToken } = await applianceAccount.createToken({
    body: { name: 'Mine', rights: null, expiresAt: null },
  })
  await fetch(linkIn(await mail.next(user.email, 'Confirm')))
  await server.visitor().applianceSession.requestPasswordReset({ body: { email: user.email } })
  const resetCode = linkIn(await mail.next(user.email, 'Reset your password')).searchParams.get('code')!
  await server
    .visitor()
    .auth.completePasswordReset({ body: { email: user.email, resetCode, newPassword: 'Newer-Horse-8' } })
  const program = integrator(server.url, { 'x-personal-token': plainTextToken })
  expect(await program.auth.me({})).toMatchObject({ email: user.email })
})

test('T24: a token of a stranger who changes a proven account to an address ends with the first mailed reset of its owner', async () => {
  const mail = await useMailServer()
  const server = await useTestServer({ settings: { ...mail.settings, ...openToAll } })
  await server.owner()
  const [own, email] = ['stranger@example.net', 'victim@example.org']
  // A stranger registers with a mailbox of the stranger, and proves it by a mailed reset.
  await register(server.visitor(), { email: own, organizationName: 'Trap' })
  await fetch(linkIn(await mail.next(own, 'Confirm')))
  await server.visitor().applianceSession.requestPasswordReset({ body: { email: own } })
  const first = linkIn(await mail.next(own, 'Reset your password')).searchParams.get('code')!
  const password = 'Strange-Horse-8'
  await server.visitor().auth.completePasswordReset({ body: { email: own, resetCode: first, newPassword: password } })
  // Then the stranger makes a token, and enters the address of the victim.
  const stranger = await server.signIn({ email: own, password })
  const { plainTextToken } = await stranger.applianceAccount.createToken({
    body: { name: 'Later', rights: null, expiresAt: null },
  })
  await stranger.applianceAccount.changeEmail({ body: { email } })
  // The victim confirms the address, and chooses a password of their own.
  await fetch(linkIn(await mail.next(email, 'Confirm')))
  await server.visitor().applianceSession.requestPasswordReset({ body: { email } })
  const code = linkIn(await mail.next(email, 'Reset your password')).searchParams.get('code')!
  await server.visitor().auth.completePasswordReset({ body: { email, resetCode: code, newPassword: 'Newer-Horse-8' } })
  const victim = await server.signIn({ email, password: 'Newer-Horse-8' })
  expect(victim.user.email).toBe(email)
  const program = integrator(server.url, { 'x-personal-token': plainTextToken })
  await expect(program.auth.me({})).rejects.toMatchObject({ status: 401 })
})
