import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Authenticator } from '../../support/authenticator.ts'
import { manualClock } from '../../support/clock.ts'
import { addPasskey, namedUrl, pageMember, pageVisitor, signInWithPasskey } from '../../support/passkeys.ts'
import { addUser } from '../../support/people.ts'
import { account, serverForFile, type Member } from '../../support/server.ts'
import { enableTwoFactor } from '../../support/totp.ts'

const minute = 60_000
const clock = manualClock()
const server = serverForFile({ settings: { AppOptions__EnableInteractiveBearerLogin: 'true' }, clock })
let owner: Member
beforeAll(async () => {
  await server.owner()
})
beforeEach(async () => {
  clock.advance(minute)
  owner = await server.signIn()
})

/** Signs a new user in on our page. */
const newMember = async () => pageMember(server, (await addUser(server, owner)).user.email)

test('an invitation is accepted with a passkey as the only way in, once', async () => {
  const { tenantId } = owner
  const inviteeEmail = 'pass@example.org'
  const { inviteUrl } = await owner.invites.create({ tenantId, body: { inviteeEmail } })
  const activationCode = inviteUrl.split(/[/#]/).at(-1)!
  const visitor = pageVisitor(server)
  const begun = await visitor.applianceInvitations.passkeyOptions({ body: { activationCode } })
  const authenticator = new Authenticator()
  const credential = authenticator.create(begun, { origin: namedUrl(server) })
  const body = { activationCode, ticket: begun.ticket, name: 'First', credential }
  const accepted = await visitor.applianceInvitations.acceptWithPasskey({ body })
  expect(accepted).toEqual({ isSuccessful: true, errorMessage: null })
  expect(await visitor.auth.me({})).toMatchObject({ email: inviteeEmail, tenantId })
  expect(await signInWithPasskey(pageVisitor(server), authenticator)).toMatchObject({ user: { email: inviteeEmail } })
  const again = pageVisitor(server).applianceInvitations.passkeyOptions({ body: { activationCode } })
  await expect(again).rejects.toMatchObject({ status: 400 })
})

describe('adding a passkey', () => {
  test('lists its name, host and last use', async () => {
    const member = await newMember()
    const { authenticator, id } = await addPasskey(member, 'Blue key')
    const added = await member.appliancePasskeys.list({})
    expect(added).toMatchObject({
      items: [{ id, name: 'Blue key', host: 'localhost', lastUsedAt: null }],
      site: { origin: namedUrl(server), obstacle: null },
    })
    clock.advance(minute)
    await signInWithPasskey(pageVisitor(server), authenticator)
    const { items } = await member.appliancePasskeys.list({})
    expect(items[0]?.lastUsedAt).toBe(new Date(clock.now()).toISOString())
  })

  test('asks the browser for a discoverable, verified passkey that is not there yet', async () => {
    const member = await newMember()
    const { authenticator } = await addPasskey(member)
    const { options } = await member.appliancePasskeys.additionOptions({})
    expect(options).toMatchObject({
      rp: { id: 'localhost' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [{ id: authenticator.id.toString('base64url') }],
    })
  })

  test('ends the other sessions of the user and keeps this one', async () => {
    const member = await newMember()
    const other = await server.signIn({ email: member.user.email })
    await addPasskey(member)
    expect(await member.auth.me({})).toMatchObject({ email: member.user.email })
    await expect(other.auth.me({})).rejects.toMatchObject({ status: 401 })
  })

  test('rejects a passkey without user verification, of another origin, or with certificates', async () => {
    const member = await newMember()
    const add = async (behavior: object) => {
      const begun = await member.appliancePasskeys.additionOptions({})
      const credential = new Authenticator().create(begun, { origin: member.url, ...behavior })
      return member.appliancePasskeys.add({ body: { ticket: begun.ticket, name: 'Key', credential } })
    }
    for (const behavior of [
      { isUserVerified: false },
      { origin: 'http://localhost:1' },
      { rpId: 'example.org' },
      { x5c: [Buffer.from('certificate')] },
    ]) {
      await expect(add(behavior)).rejects.toMatchObject({ status: 400 })
    }
    expect(await member.appliancePasskeys.list({})).toMatchObject({ items: [] })
    // The library would verify the certificate, and fetch what it names.
    const message = 'The credential carries certificates that were not asked for.'
    expect(server.log.lines.at(-1)).toMatchObject({ fields: { err: { message } } })
  })

  test('rejects a passkey that another user has', async () => {
    const { authenticator } = await addPasskey(await newMember())
    const member = await newMember()
    const begun = await member.appliancePasskeys.additionOptions({})
    const credential = authenticator.create(begun, { origin: member.url })
    const adding = member.appliancePasskeys.add({ body: { ticket: begun.ticket, name: 'Key', credential } })
    await expect(adding).rejects.toMatchObject({ status: 400, message: 'This passkey is known already.' })
  })

  test('rejects the ticket of another user, even in the same browser', async () => {
    const [member, other] = [await newMember(), await newMember()]
    const begun = await member.appliancePasskeys.additionOptions({})
    await other.auth.logout({})
    other.pageKey = member.pageKey
    await other.applianceSession.signIn({ body: { email: other.user.email, password: account.password } })
    const credential = new Authenticator().create(begun, { origin: other.url })
    const adding = other.appliancePasskeys.add({ body: { ticket: begun.ticket, name: 'Key', credential } })
    await expect(adding).rejects.toMatchObject({ status: 400 })
    expect(await other.appliancePasskeys.list({})).toMatchObject({ items: [] })
  })

  test('ends at twenty of one user', async () => {
    const member = await newMember()
    for (let count = 0; count < 20; count++) {
      await addPasskey(member)
    }
    await expect(addPasskey(member)).rejects.toMatchObject({ status: 400, message: expect.stringContaining('20') })
  })

  test('is for people who signed in, not for tokens', async () => {
    const member = await newMember()
    const { tenantId } = member
    const { plainTextToken } = await member.personalAccessTokens.create({ tenantId, body: { name: 'mine' } })
    const response = await fetch(`${namedUrl(server)}/api/appliance/v1/account/passkeys`, {
      headers: { 'x-personal-token': plainTextToken },
    })
    expect(response.status).toBe(403)
  })
})

test('a renamed passkey keeps working, a removed one does not', async () => {
  const member = await newMember()
  const { authenticator, id: passkeyId } = await addPasskey(member)
  await member.appliancePasskeys.rename({ params: { passkeyId }, body: { name: 'Renamed' } })
  expect(await member.appliancePasskeys.list({})).toMatchObject({ items: [{ name: 'Renamed' }] })
  expect(await signInWithPasskey(pageVisitor(server), authenticator)).toMatchObject({ user: { id: member.user.id } })
  await member.appliancePasskeys.remove({ params: { passkeyId } })
  await expect(signInWithPasskey(pageVisitor(server), authenticator)).rejects.toMatchObject({ status: 401 })
})

test("another user's passkey can be neither renamed nor removed", async () => {
  const { id: passkeyId } = await addPasskey(await newMember())
  const member = await newMember()
  await expect(
    member.appliancePasskeys.rename({ params: { passkeyId }, body: { name: 'Mine' } }),
  ).rejects.toMatchObject({ status: 404 })
  await expect(member.appliancePasskeys.remove({ params: { passkeyId } })).rejects.toMatchObject({ status: 404 })
})

test('the only way in cannot be removed', async () => {
  const member = await newMember()
  const { id: passkeyId } = await addPasskey(member)
  await server.changeRow('users', member.user.id, 'passwordHash = NULL')
  await expect(member.appliancePasskeys.remove({ params: { passkeyId } })).rejects.toMatchObject({ status: 409 })
  await addPasskey(member)
  await member.appliancePasskeys.remove({ params: { passkeyId } })
})

describe('signing in with a passkey', () => {
  test('needs no address and no code, and gives a browser session bound to the page', async () => {
    const member = await newMember()
    await enableTwoFactor(member, clock)
    const { authenticator } = await addPasskey(member)
    const visitor = pageVisitor(server)
    expect(await signInWithPasskey(visitor, authenticator)).toMatchObject({ user: { email: member.user.email } })
    expect(await visitor.auth.me({})).toMatchObject({ id: member.user.id })
    visitor.pageKey = undefined
    await expect(visitor.auth.me({})).rejects.toMatchObject({ status: 401 })
    const rows = await server.rows<{ isPersistent: number }>(
      'SELECT isPersistent FROM sessions WHERE userId = ? ORDER BY createdAt DESC LIMIT 1',
      member.user.id,
    )
    expect(rows).toEqual([{ isPersistent: 0 }])
  })

  test('outlives the browser with PersistPasskeyLogin', async () => {
    const member = await newMember()
    const { authenticator } = await addPasskey(member)
    server.settings['AppOptions__PersistPasskeyLogin'] = 'true'
    await server.restart()
    await signInWithPasskey(pageVisitor(server), authenticator)
    const rows = await server.rows('SELECT 1 FROM sessions WHERE userId = ? AND isPersistent = 1', member.user.id)
    expect(rows).toHaveLength(1)
    delete server.settings['AppOptions__PersistPasskeyLogin']
    await server.restart()
  })

  test('is refused while the password must be changed', async () => {
    const member = await newMember()
    const { authenticator } = await addPasskey(member)
    await server.changeRow('users', member.user.id, 'isPasswordChangeRequired = TRUE')
    const visitor = pageVisitor(server)
    expect(await signInWithPasskey(visitor, authenticator)).toMatchObject({ requiresPasswordChange: true, user: null })
    await expect(visitor.auth.me({})).rejects.toMatchObject({ status: 401 })
  })

  test('works while wrong passwords have locked password sign-in', async () => {
    const member = await newMember()
    const { authenticator } = await addPasskey(member)
    const { email } = member.user
    for (let count = 0; count < 5; count++) {
      await server.visitor().applianceSession.signIn({ body: { email, password: 'Wrong-Horse-7' } })
    }
    const locked = await server.visitor().applianceSession.signIn({ body: { email, password: account.password } })
    expect(locked).toMatchObject({ isLockedOut: true })
    expect(await signInWithPasskey(pageVisitor(server), authenticator)).toMatchObject({ user: { email } })
  })

  test('works for an authenticator that counts no signatures', async () => {
    const member = await newMember()
    const { authenticator } = await addPasskey(member)
    await server.changeRow('passkeys', (await member.appliancePasskeys.list({})).items[0]!.id, 'counter = 0')
    authenticator.counter = 0
    for (let count = 0; count < 2; count++) {
      expect(await signInWithPasskey(pageVisitor(server), authenticator)).toMatchObject({ user: {} })
    }
  })
})
