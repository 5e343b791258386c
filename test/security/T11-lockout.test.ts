import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { manualClock } from '../support/clock.ts'
import { linkIn, startMailServer, type MailServer } from '../support/mail.ts'
import { addMember } from '../support/people.ts'
import { account, integrator, startTestServer, type Member, type TestServer, type Visitor } from '../support/server.ts'

const minute = 60_000
const clock = manualClock()
const next = 'Newer-Horse-8'
let mail: MailServer
let server: TestServer
let owner: Member

beforeAll(async () => {
  mail = await startMailServer()
  const settings = { ...mail.settings, AppOptions__EnableInteractiveBearerLogin: 'true' }
  server = await startTestServer({ settings, clock })
  owner = await server.owner()
})
beforeEach(() => clock.advance(minute))
afterAll(async () => {
  await server.stop()
  await mail.close()
})

const signIn = (visitor: Visitor, email: string, password = account.password) =>
  visitor.applianceSession.signIn({ body: { email, password } })

const signInWrongly = async (visitor: Visitor, email: string, times: number) => {
  for (let count = 0; count < times; count++) {
    await signIn(visitor, email, 'Wrong-Horse-7')
  }
}

/** Creates a user whose account is locked by strangers, with the user's known browser. */
async function besieged() {
  const member = await addMember(server, owner.tenantId, [])
  const { email } = member.user
  await signInWrongly(server.visitor(), email, 5)
  expect(await signIn(server.visitor(), email)).toMatchObject({ isLockedOut: true })
  return { member, email }
}

test('strangers who lock an account do not lock out the browser that its owner uses', async () => {
  const { member, email } = await besieged()
  expect(await member.auth.me({})).toMatchObject({ email })
  await member.auth.logout({})
  expect(await signIn(member, email)).toMatchObject({ isLockedOut: false, user: { email } })
  // The owner's sign-in does not give strangers further guesses.
  expect(await signIn(server.visitor(), email)).toMatchObject({ isLockedOut: true })
})

test('the browser of the owner is still known after a restart', async () => {
  const { member, email } = await besieged()
  await server.restart()
  expect(await signIn(member, email)).toMatchObject({ user: { email } })
})

test('a known browser has five guesses of its own, which lock no other browser', async () => {
  const member = await addMember(server, owner.tenantId, [])
  const { email } = member.user
  await signInWrongly(member, email, 4)
  expect(await signIn(member, email, 'Wrong-Horse-7')).toMatchObject({ isLockedOut: true })
  expect(await signIn(member, email)).toMatchObject({ isLockedOut: true })
  expect(await signIn(server.visitor(), email)).toMatchObject({ user: { email } })
  clock.advance(5 * minute)
  expect(await signIn(member, email)).toMatchObject({ user: { email } })
})

test('a browser known to one account counts like any other for other accounts', async () => {
  const { member: neighbour } = await besieged()
  const { email } = await besieged()
  expect(await signIn(neighbour, email)).toMatchObject({ isLockedOut: true })
})

test('the cookie of a known browser does not sign in, and a forged one has no effect', async () => {
  const { member, email } = await besieged()
  const visitor = server.visitor()
  visitor.browserCookie = member.browserCookie!
  await expect(visitor.auth.me({})).rejects.toMatchObject({ status: 401 })
  visitor.browserCookie = `${member.browserCookie!.slice(0, -4)}AAAA`
  expect(await signIn(visitor, email)).toMatchObject({ isLockedOut: true })
})

test('a wrong answer sets no cookie of a known browser', async () => {
  const visitor = server.visitor()
  await signInWrongly(visitor, account.email, 1)
  expect(visitor.browserCookie).toBeUndefined()
})

test('a browser can be known to several accounts', async () => {
  const [first, second] = [await besieged(), await besieged()]
  const visitor = server.visitor()
  visitor.browserCookie = first.member.browserCookie
  const third = await addMember(server, owner.tenantId, [])
  expect(await signIn(visitor, third.user.email)).toMatchObject({ isLockedOut: false })
  expect(await signIn(visitor, first.email)).toMatchObject({ isLockedOut: false })
  expect(await signIn(visitor, second.email)).toMatchObject({ isLockedOut: true })
})

test('a mailed code opens a locked account, and ends the lock', async () => {
  const { member, email } = await besieged()
  await server.changeRow('users', member.user.id, 'isEmailConfirmed = TRUE')
  const visitor = server.visitor()
  await visitor.identity.forgotPassword({ body: { email } })
  const resetCode = linkIn(await mail.next(email)).searchParams.get('code')!
  await visitor.auth.completePasswordReset({ body: { email, resetCode, newPassword: next } })
  expect(await signIn(visitor, email, next)).toMatchObject({ user: { email } })
})

test('all personal tokens of a user share five guesses', async () => {
  const member = await addMember(server, owner.tenantId, ['personal-access-token.self.write'])
  const byNewToken = async () => {
    const { plainTextToken } = await member.personalAccessTokens.create({
      tenantId: owner.tenantId,
      body: { name: 'another' },
    })
    return integrator(server.url, { 'x-personal-token': plainTextToken })
  }
  const changeTo = async (currentPassword: string) =>
    (await byNewToken()).auth.changePassword({ body: { currentPassword, newPassword: next } })
  for (let count = 0; count < 5; count++) {
    await expect(changeTo('Wrong-Horse-7')).rejects.toMatchObject({ status: 400 })
  }
  await expect(changeTo(account.password)).rejects.toMatchObject({ status: 400 })
  // The owner's session is not affected.
  await member.auth.changePassword({ body: { currentPassword: account.password, newPassword: next } })
})

test('a password set by mail is accepted at once in the browser whose guesses locked the account', async () => {
  const member = await addMember(server, owner.tenantId, [])
  const { email, id } = member.user
  await server.changeRow('users', id, 'isEmailConfirmed = TRUE')
  await signInWrongly(member, email, 5)
  await member.identity.forgotPassword({ body: { email } })
  const resetCode = linkIn(await mail.next(email)).searchParams.get('code')!
  await member.identity.resetPassword({ body: { email, resetCode, newPassword: next } })
  expect(await signIn(member, email, next)).toMatchObject({ user: { email } })
})
