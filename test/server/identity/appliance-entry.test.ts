import { expect, test } from 'vitest'
import { manualClock } from '../../support/clock.ts'
import { linkIn, useMailServer } from '../../support/mail.ts'
import { newAddress } from '../../support/people.ts'
import { rawRequest } from '../../support/raw-request.ts'
import { account, useTestServer, type Member, type TestServer } from '../../support/server.ts'

const dayMs = 24 * 60 * 60 * 1000
const password = 'Babbage-Engine-2'

async function invited(server: TestServer, owner: Member) {
  const email = newAddress()
  const { id, inviteUrl } = await owner.invites.create({
    tenantId: owner.tenantId,
    body: { inviteeEmail: email },
  })
  const activationCode = inviteUrl.split('/').at(-1)!
  const lookUp = (code = activationCode) =>
    server.visitor().applianceEntry.invitation({ body: { activationCode: code } })
  return { id, email, activationCode, lookUp }
}

const nothing = { email: null, organizationName: null, expiresAt: null }

test('an invitation names its organization to whoever has the whole code, and to nobody else', async () => {
  const server = await useTestServer()
  const { email, activationCode, lookUp } = await invited(server, await server.owner())
  expect(await lookUp()).toMatchObject({ state: 'open', email, organizationName: account.organizationName })
  for (const code of [activationCode.slice(0, -1), activationCode.split('.')[0]!, activationCode.split('.')[1]!, 'x']) {
    expect(await lookUp(code)).toEqual({ state: 'unknown', ...nothing })
  }
})

test('an invitation that was accepted, withdrawn or has expired is reported as such, without an address', async () => {
  const clock = manualClock()
  const server = await useTestServer({ clock })
  const owner = await server.owner()
  const [accepted, withdrawn, expired] = [
    await invited(server, owner),
    await invited(server, owner),
    await invited(server, owner),
  ]
  await server.visitor().inviteAcceptance.accept({
    body: { activationCode: accepted.activationCode, email: accepted.email, password },
  })
  await owner.invites.delete({ tenantId: owner.tenantId, params: { inviteId: withdrawn.id } })
  expect([await accepted.lookUp(), await withdrawn.lookUp()]).toEqual([
    { state: 'accepted', ...nothing },
    { state: 'unknown', ...nothing },
  ])
  clock.advance(7 * dayMs)
  expect(await expired.lookUp()).toMatchObject({ state: 'expired', email: null })
})

test('T12: the id of a user does not reveal whether an invitation was accepted', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const { email, activationCode, lookUp } = await invited(server, owner)
  await server.visitor().inviteAcceptance.accept({ body: { activationCode, email, password } })
  const [userId] = activationCode.split('.')
  for (const code of [owner.user.id, `${owner.user.id}.x`, userId!, `${userId}.x`]) {
    expect(await lookUp(code)).toEqual({ state: 'unknown', ...nothing })
  }
})

test('without mail the help reports it, and a confirmation is answered as if it was sent', async () => {
  const mail = await useMailServer()
  const server = await useTestServer({ settings: mail.settings })
  const silent = await useTestServer()
  const helps = [server, silent].map((each) => each.visitor().applianceEntry.help({}))
  expect((await Promise.all(helps)).map(({ sendsMail }) => sendsMail)).toEqual([true, false])
  await server.owner()
  await mail.next(account.email)
  const ask = async (place: TestServer, email: string) =>
    place.visitor().applianceEntry.resendConfirmation({ body: { email } })
  expect([await ask(silent, account.email), await ask(server, newAddress()), await ask(server, account.email)]).toEqual(
    [undefined, undefined, undefined],
  )
  const { href } = linkIn(await mail.next(account.email))
  expect((await server.visitor().fetch(href)).status).toBe(200)
  expect(mail.received).toEqual([])
})

test('T11: guesses of invitations and floods of mail are throttled for each address', async () => {
  const server = await useTestServer()
  for (const [path, body] of [
    ['/api/appliance/v1/invitations/lookup', { activationCode: 'x' }],
    ['/api/appliance/v1/email-confirmation', { email: account.email }],
  ] as const) {
    const statuses: number[] = []
    for (let attempt = 0; attempt < 21; attempt++) {
      const { status } = await server.visitor().fetch(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      statuses.push(status)
    }
    expect([statuses[0]! < 300, statuses.at(-1)]).toEqual([true, 429])
  }
})

test('T22: the link of a mailed invitation leads to the server, whatever host was asked for', async () => {
  const mail = await useMailServer()
  const server = await useTestServer({ settings: mail.settings })
  const owner = await server.owner()
  await mail.next(account.email)
  const inviteeEmail = newAddress()
  const { status } = await rawRequest(server.url, `/api/v1/invites?tenantId=${owner.tenantId}`, {
    method: 'POST',
    headers: { ...owner.headers, 'content-type': 'application/json', 'x-forwarded-host': 'evil.example' },
    body: JSON.stringify({ inviteeEmail }),
  })
  expect(status).toBe(201)
  const link = linkIn(await mail.next(inviteeEmail))
  expect([link.origin, link.pathname.split('/')[1]]).toEqual([server.url, 'invite-confirmation'])
})

test('a user who signed in with a password is no guest of a link', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  expect(await owner.applianceEntry.guest({})).toEqual({ guest: null })
})

test('a mailed invitation leads by the page about the certificate first, but not at a public address', async () => {
  const mail = await useMailServer()
  const invitedAt = async (settings: Record<string, string>) => {
    const server = await useTestServer({ listenOn: 'https://127.0.0.1:0', settings: { ...mail.settings, ...settings } })
    const owner = await server.owner()
    const inviteeEmail = 'grace@example.org'
    await owner.invites.create({ tenantId: owner.tenantId, body: { inviteeEmail } })
    return { url: server.url, text: (await mail.next(inviteeEmail)).text }
  }
  const { url, text } = await invitedAt({})
  expect(text.indexOf(`${url}/trust`)).toBeGreaterThan(-1)
  expect(text.indexOf('/invite-confirmation/')).toBeGreaterThan(text.indexOf(`${url}/trust`))
  const atPublic = await invitedAt({ Branding__PublicUrl: 'https://rdm.example.org' })
  expect(atPublic.text).not.toContain('/trust')
})
