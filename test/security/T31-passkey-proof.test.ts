import { beforeAll, expect, test } from 'vitest'
import type { Authenticator } from '../support/authenticator.ts'
import { manualClock } from '../support/clock.ts'
import { addPasskey, pageMember } from '../support/passkeys.ts'
import { addUser } from '../support/people.ts'
import { serverForFile, type Member } from '../support/server.ts'

const clock = manualClock()
const server = serverForFile({ clock })
let owner: Member
beforeAll(async () => {
  owner = await server.owner()
})

async function memberWithPasskey() {
  const member = await pageMember(server, (await addUser(server, owner)).user.email)
  const { authenticator } = await addPasskey(member)
  member.provesWith = undefined
  clock.advance(11 * 60_000)
  owner = await server.signIn()
  return { member, authenticator }
}

async function prove(member: Member, authenticator: Authenticator) {
  const { ticket, options } = await member.applianceSession.passkeyOptions({})
  const credential = authenticator.sign({ ticket, options }, { origin: member.url })
  await member.applianceSession.prove({ body: { passkey: { ticket, credential } } })
}

const create = (by: Member) => by.personalAccessTokens.create({ tenantId: by.tenantId, body: { name: 'mine' } })
const asked = { status: 403, problem: { code: 'reauthentication-required' } }

test("a passkey of the session's user proves the identity", async () => {
  const { member, authenticator } = await memberWithPasskey()
  await expect(create(member)).rejects.toMatchObject(asked)
  await prove(member, authenticator)
  await create(member)
})

test("another user's passkey proves nothing, and ends no session", async () => {
  const { authenticator: foreign } = await memberWithPasskey()
  const { member } = await memberWithPasskey()
  await expect(prove(member, foreign)).rejects.toMatchObject({ status: 400 })
  await expect(create(member)).rejects.toMatchObject(asked)
})

test('a stolen session without a recent proof changes no passkeys', async () => {
  const { member } = await memberWithPasskey()
  const [passkey] = (await member.appliancePasskeys.list({})).items
  await expect(member.appliancePasskeys.additionOptions({})).rejects.toMatchObject(asked)
  const params = { passkeyId: passkey!.id }
  await expect(member.appliancePasskeys.remove({ params })).rejects.toMatchObject(asked)
})

test('a new way to sign in is a notice to its user, also where no mail is sent', async () => {
  const { email } = (await addUser(server, owner)).user
  const member = await pageMember(server, email)
  const { id: passkeyId } = await addPasskey(member, 'Red key')
  await member.appliancePasskeys.remove({ params: { passkeyId } })
  // The sign-in that made a change does not list its notice.
  const later = await pageMember(server, email)
  const { items } = await later.applianceNotices.list({})
  expect(items.map(({ kind, subject }) => [kind, subject])).toEqual(
    expect.arrayContaining([
      ['passkey-added', 'Red key'],
      ['passkey-removed', 'Red key'],
    ]),
  )
})
