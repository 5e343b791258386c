import { createHook } from 'node:async_hooks'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Authenticator } from '../support/authenticator.ts'
import { manualClock } from '../support/clock.ts'
import { startGitHub } from '../support/github-server.ts'
import { providerSettings } from '../support/identity-provider.ts'
import { startMailServer } from '../support/mail.ts'
import { addPasskey, pageMember, pageVisitor } from '../support/passkeys.ts'
import { newAddress } from '../support/people.ts'
import { account, startTestServer, type Member, type TestServer, type Visitor } from '../support/server.ts'
import { until } from '../support/until.ts'

const clock = manualClock()
let gitHub: Awaited<ReturnType<typeof startGitHub>>
let mail: Awaited<ReturnType<typeof startMailServer>>
let server: TestServer
let owner: Member

beforeAll(async () => {
  gitHub = await startGitHub({ id: 4711, login: 'ada-l', email: 'ada@example.com' })
  mail = await startMailServer()
  const settings = { ...providerSettings('B', gitHub.issuer, { Kind: 'GitHub' }), ...mail.settings }
  server = await startTestServer({ settings, clock })
  await server.owner()
  owner = await pageMember(server)
})
beforeEach(() => clock.advance(60_000))
afterAll(async () => {
  await server.stop()
  await gitHub.stop()
  await mail.close()
})

/** Hashes of passwords: argon2 is the only native work without a name. */
let hashes = 0
const hook = createHook({ init: (_, type) => void (String(type) === 'undefined' && hashes++) })
beforeAll(() => void hook.enable())
afterAll(() => void hook.disable())

const rowsOfLog = async () => {
  const [row] = await server.rows<{ count: number }>('SELECT count(*) AS count FROM audit_events')
  return row!.count
}

/** Answer as a stranger sees it, and the work of the server for it. */
async function costOf(visitor: Visitor, path: string, body: object) {
  const before = { hashes, rows: await rowsOfLog() }
  const response = await visitor.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = (await response.text()).replace(/"traceId":"[^"]*"/, '')
  const cookie = response.headers.get('set-cookie')
  return { status: response.status, text, cookie, hashes: hashes - before.hashes, rows: before.rows }
}

/** Expects the same answer and the same work for both, and returns it. */
async function expectAlike(
  path: string,
  { known, unknown, rows }: { known: object; unknown: object; rows: number },
  visitor = () => pageVisitor(server),
) {
  const seen = []
  for (const body of [known, unknown]) {
    const { rows: before, ...cost } = await costOf(visitor(), path, body)
    // Rows about a request without an answer are written after the answer.
    await until(async () => (await rowsOfLog()) === before + rows)
    seen.push(cost)
  }
  expect(seen[0]).toEqual(seen[1])
  return seen[0]!
}

test('the count of hashes sees those of a wrong password', async () => {
  const wrong = { password: 'Wrong-Horse-7' }
  const unknown = { email: newAddress(), ...wrong }
  await costOf(server.visitor(), '/api/appliance/v1/session', unknown)
  const known = { email: account.email, ...wrong }
  const { hashes: count } = await expectAlike('/api/appliance/v1/session', { known, unknown, rows: 1 })
  expect(count).toBe(1)
})

test.each(['/api/appliance/v1/password-resets', '/api/appliance/v1/email-confirmation'])(
  'a request for a mail at %s is alike for a known and an unknown address',
  async (path) => {
    const answer = await expectAlike(path, {
      known: { email: account.email },
      unknown: { email: newAddress() },
      rows: 1,
    })
    expect(answer.status).toBe(204)
  },
)

test('an invitation with a wrong code is alike whether there is one or not, looked up and accepted', async () => {
  const email = newAddress()
  const { inviteUrl } = await owner.invites.create({ tenantId: owner.tenantId, body: { inviteeEmail: email } })
  const id = inviteUrl.split('/').at(-1)!.split('.')[0]!
  const secret = 'x'.repeat(86)
  const looked = await expectAlike('/api/appliance/v1/invitations/lookup', {
    known: { activationCode: `${id}.${secret}` },
    unknown: { activationCode: `11111111-1111-4111-8111-111111111111.${secret}` },
    rows: 0,
  })
  expect(looked.text).toContain('"unknown"')
  const wrong = { activationCode: `${id}.${secret}`, password: 'Newer-Horse-8' }
  const accepted = await expectAlike('/api/invites/accept', {
    known: { ...wrong, email },
    unknown: { ...wrong, email: newAddress() },
    rows: 1,
  })
  expect(accepted.hashes).toBe(0)
})

test('a registration through a provider is alike for a known and an unknown address while registration is closed', async () => {
  const visitor = pageVisitor(server)
  const params = { place: 'b' as const }
  const { ticket, url } = await visitor.applianceIdentityProviders.begin({ params })
  const { headers } = await fetch(url, { redirect: 'manual' })
  const query = new URL(headers.get('location')!).search.slice(1)
  const { identity } = await visitor.applianceIdentityProviders.answer({ params, body: { ticket, query } })
  const answer = await expectAlike(
    '/api/appliance/v1/sign-in/registration',
    { known: { identity, email: account.email }, unknown: { identity, email: newAddress() }, rows: 0 },
    () => visitor,
  )
  expect(answer).toMatchObject({ status: 404, hashes: 0 })
})

test('a passkey that is not known is answered like a known one with a wrong signature', async () => {
  const { authenticator } = await addPasskey(owner)
  const visitor = pageVisitor(server)
  const answered = async (signer: Authenticator) => {
    const { ticket, options } = await visitor.appliancePasskeys.signInOptions({})
    // The options name no passkey: they cannot tell who has one.
    expect(options).toMatchObject({ allowCredentials: [] })
    const credential = signer.sign({ ticket, options }, { origin: visitor.url })
    const signature = Buffer.from('wrong').toString('base64url')
    return { ticket, credential: { ...credential, response: { ...credential.response, signature } } }
  }
  const known = await answered(authenticator)
  const unknown = await answered(new Authenticator())
  const answer = await expectAlike('/api/appliance/v1/sign-in/passkey', { known, unknown, rows: 1 }, () => visitor)
  expect(answer.status).toBe(401)
})
