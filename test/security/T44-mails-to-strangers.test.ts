import { expect, test } from 'vitest'
import { manualClock } from '../support/clock.ts'
import { bearerLogin } from '../support/identity.ts'
import { linkIn, useMailServer } from '../support/mail.ts'
import { account, useTestServer, type Member } from '../support/server.ts'
import { statusOf } from '../support/statuses.ts'
import { until } from '../support/until.ts'

/* T44: whoever has an account cannot flood the inboxes of strangers by the server's mail. */

/** Keeps below the attempts of an address in a minute. */
const pauseMs = 4_000
const knownProxy = { AppOptions__KnownProxies__0: '127.0.0.1' }
const dayMs = 24 * 60 * 60_000

async function prepared() {
  const mail = await useMailServer()
  const clock = manualClock()
  const open = { AppOptions__EnablePublicRegistration: 'true', ...bearerLogin }
  const server = await useTestServer({ settings: { ...open, ...knownProxy, ...mail.settings }, clock })
  await server.owner()
  const eve = await server.owner({ email: 'eve@example.org', organizationName: 'Your bank: call 555 0100' })
  const mailsTo = (address: string) => mail.received.filter(({ to }) => to.includes(address))
  return { server, clock, eve, mailsTo }
}

/** Asks for every address; returns the statuses. */
async function askAll(
  addresses: string[],
  clock: { advance(ms: number): void },
  ask: (email: string) => Promise<unknown>,
) {
  const statuses: unknown[] = []
  for (const address of addresses) {
    statuses.push(await statusOf(ask(address)))
    clock.advance(pauseMs)
  }
  return statuses
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)

test.each<[string, (eve: Member, email: string) => Promise<unknown>]>([
  ['the page', (eve, email) => eve.applianceAccount.changeEmail({ body: { email } })],
  ['a program', (eve, newEmail) => eve.identity.changeInfo({ body: { newEmail } })],
])('changes of the address by %s mail 5 times a day to an address, and 20 times for an account', async (_, change) => {
  const { server, clock, eve, mailsTo } = await prepared()
  const ask = (email: string) => change(eve, email)
  const [first, second] = ['victim@example.net', 'other@example.net']
  // The answer is the same above the limit of an address, which says whether somebody else has asked, too (T12).
  expect(await askAll(times(12, first), clock, ask)).toEqual(times(12, 200))
  expect(await askAll([...times(8, second), 'third@example.net'], clock, ask)).toEqual([...times(8, 200), 429])
  await until(() => mailsTo(second).length === 5)
  expect(mailsTo(first)).toHaveLength(5)
  expect(mailsTo(first)[0]!.text).not.toContain('Your bank')
  clock.advance(dayMs)
  expect(await statusOf(change(await server.signIn({ email: 'eve@example.org' }), first))).toBe(200)
})

test('changes of the address use up neither the invitations nor the resets of a recipient', async () => {
  const { server, clock, eve, mailsTo } = await prepared()
  await server.changeRow('users', (await server.signIn()).user.id, 'isEmailConfirmed = TRUE')
  const change = (email: string) => eve.applianceAccount.changeEmail({ body: { email } })
  const subjects = () => mailsTo(account.email).map(({ subject }) => subject)
  await askAll(times(11, account.email), clock, change)
  await server.visitor().applianceSession.requestPasswordReset({ body: { email: account.email } })
  await until(() => subjects().some((subject) => subject.startsWith('Reset')))
  const mallory = await server.owner({ email: 'mallory@example.org' })
  await mallory.invites.create({ tenantId: mallory.tenantId, body: { inviteeEmail: account.email } })
  await until(() => subjects().some((subject) => subject.startsWith('You are invited')))
})

test('resets of a password mail 5 times a day to an address, and answer the same beyond', async () => {
  const { server, clock, mailsTo } = await prepared()
  await server.changeRow('users', (await server.signIn()).user.id, 'isEmailConfirmed = TRUE')
  const reset = () => server.visitor().applianceSession.requestPasswordReset({ body: { email: account.email } })
  expect(await askAll(times(12, account.email), clock, reset)).toEqual(times(12, 200))
  const eve = await server.signIn({ email: 'eve@example.org' })
  await eve.invites.create({ tenantId: eve.tenantId, body: { inviteeEmail: 'last@example.net' } })
  await until(() => mailsTo('last@example.net').length === 1)
  const resets = () => mailsTo(account.email).filter(({ subject }) => subject.startsWith('Reset')).length
  expect(resets()).toBe(5)
  // The owner gets one an hour later, whoever else has asked.
  clock.advance(60 * 60_000)
  await reset()
  await until(() => resets() === 6)
})

test.each([
  ['reset of the password', 'forgotPassword', 'Reset', 'TRUE'],
  ['confirmation of the address', 'resendConfirmationEmail', 'Confirm', 'FALSE'],
])('a stranger uses up no %s of the owner', async (_, route, subject, isConfirmed) => {
  const { server, clock, mailsTo } = await prepared()
  const owner = await server.signIn()
  await server.changeRow('users', owner.user.id, `isEmailConfirmed = ${isConfirmed}`)
  const mails = () => mailsTo(account.email).filter((mail) => mail.subject.startsWith(subject)).length
  await until(() => mailsTo(account.email).length === 1)
  const before = mails()
  const askFrom = (address: string) =>
    server.visitor().fetch(`/api/auth/${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ email: account.email }),
    })
  await askAll(times(12, '2001:db8::1'), clock, askFrom)
  await askAll(['2001:db8::2', '192.0.2.7'], clock, askFrom)
  await until(() => mails() === before + 6)
  if (isConfirmed === 'FALSE') {
    await owner.applianceAccount.changeEmail({ body: { email: account.email } })
    await until(() => mails() === before + 7)
  }
})

test('invitations of one organization use up no invitation of another to the same address', async () => {
  const { server, clock, eve, mailsTo } = await prepared()
  const owner = await server.signIn()
  const invite = async (by: Member, inviteeEmail: string) => {
    const { id } = await by.invites.create({ tenantId: by.tenantId, body: { inviteeEmail } })
    await by.invites.delete({ tenantId: by.tenantId, params: { inviteId: id } })
  }
  await askAll(times(12, 'victim@example.net'), clock, (email) => invite(eve, email))
  await invite(owner, 'victim@example.net')
  await until(() => mailsTo('victim@example.net').length === 6)
})

test('a new account gets the link that confirms its address although other accounts have named that address', async () => {
  const { server, clock, eve, mailsTo } = await prepared()
  const change = (email: string) => eve.applianceAccount.changeEmail({ body: { email } })
  await askAll(times(12, 'victim@example.net'), clock, change)
  await server.owner({ email: 'victim@example.net' })
  await until(() => mailsTo('victim@example.net').length === 6)
})

test('an invitation confirms the address, and tells of an account elsewhere, with the mailed link alone', async () => {
  const { server, eve, mailsTo } = await prepared()
  const invite = async (email: string) => {
    const { inviteUrl } = await eve.invites.create({ tenantId: eve.tenantId, body: { inviteeEmail: email } })
    const mail = await until(() => mailsTo(email).find(({ subject }) => subject.startsWith('You are invited')))
    const codeIn = (link: string) => link.split('/').at(-1)!
    return { shown: codeIn(inviteUrl), mailed: codeIn(linkIn(mail).pathname) }
  }
  const password = 'Babbage-Engine-2'
  const confirmedBy = async (email: string, activationCode: string) => {
    const visitor = server.visitor()
    const answer = await visitor.inviteAcceptance.accept({ body: { activationCode, email, password } })
    expect(answer).toMatchObject({ isSuccessful: true })
    return (await visitor.applianceAccount.get({})).isEmailConfirmed
  }
  expect(await confirmedBy('one@example.net', (await invite('one@example.net')).shown)).toBe(false)
  await until(() => mailsTo('one@example.net').some(({ subject }) => subject.startsWith('Confirm')))
  expect(await confirmedBy('two@example.net', (await invite('two@example.net')).mailed)).toBe(true)
  const stateBy = async (activationCode: string) =>
    (await server.visitor().applianceEntry.invitation({ body: { activationCode } })).state
  const taken = await invite(account.email)
  const free = await invite('three@example.net')
  expect([await stateBy(taken.shown), await stateBy(free.shown)]).toEqual(['open', 'open'])
  expect([await stateBy(taken.mailed), await stateBy(free.mailed)]).toEqual(['taken', 'open'])
})
