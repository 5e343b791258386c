import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { manualClock } from '../support/clock.ts'
import { HostileProvider, redirectTo, sendBomb, trickle } from '../support/hostile-provider.ts'
import { providerSettings } from '../support/identity-provider.ts'
import { pageVisitor } from '../support/passkeys.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const clock = manualClock()
const params = { place: 'a' as const }
const discovery = '/.well-known/openid-configuration'
const provider = new HostileProvider()
let server: TestServer

beforeAll(async () => {
  await provider.start()
  server = await startTestServer({ settings: providerSettings('A', provider.issuer, { Label: 'Example' }), clock })
  await server.owner()
})
beforeEach(() => {
  provider.reset()
  // The description of a provider is kept for an hour.
  clock.advance(61 * 60_000)
})
afterAll(async () => {
  await server.stop()
  await provider.stop()
})

/** Goes to the provider and comes back with a code. */
async function signIn(more: Record<string, string> = {}) {
  const visitor = pageVisitor(server)
  const { ticket, url } = await visitor.applianceIdentityProviders.begin({ params })
  const { searchParams } = new URL(url)
  provider.nonce = searchParams.get('nonce')!
  const query = new URLSearchParams({ code: 'code', state: searchParams.get('state')!, ...more }).toString()
  return visitor.applianceIdentityProviders.answer({ params, body: { ticket, query } })
}

const notAccepted = {
  status: 400,
  message: expect.stringMatching(
    /^Example gave an answer that this server does not accept\. (.+\. )?Try again later, or sign in another way\.$/,
  ),
}
const late = { status: 503, message: expect.stringContaining('Example did not answer in time.') }
const away = { status: 503, message: expect.stringContaining('Example cannot be reached from this server.') }

test('a right answer is accepted', async () => {
  expect(await signIn()).toMatchObject({ isLinked: false, name: 'mallory' })
})

describe('an identity token is rejected', () => {
  test.each([
    ['for another audience', { aud: 'somebody-else' }],
    ['of another issuer', { iss: 'https://login.example.com' }],
    ['with another nonce', { nonce: 'other' }],
    ['that has expired', { exp: 1 }],
    ['without a subject', { sub: undefined }],
  ])('%s', async (_, claims) => {
    provider.claims = claims
    await expect(signIn()).rejects.toMatchObject(notAccepted)
  })

  test('without a signature, even if the provider says that it signs none', async () => {
    provider.algorithm = 'none'
    await expect(signIn()).rejects.toMatchObject(notAccepted)
  })

  test('signed with a key that the provider does not publish', async () => {
    provider.signer = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    await expect(signIn()).rejects.toMatchObject(notAccepted)
  })
})

test('an answer with another state, or of another issuer, is rejected', async () => {
  await expect(signIn({ state: 'other' })).rejects.toMatchObject(notAccepted)
  await expect(signIn({ iss: 'https://login.example.com' })).rejects.toMatchObject(notAccepted)
})

test('a description that names another issuer is rejected', async () => {
  provider.metadata = { issuer: 'https://login.example.com' }
  await expect(signIn()).rejects.toMatchObject(notAccepted)
})

describe('a rejection says what was expected and what was seen:', () => {
  const saying = (text: string) => ({ status: 400, message: expect.stringContaining(text) })
  const now = () => Math.floor(Date.now() / 1000)

  test('the issuer', async () => {
    provider.metadata = { issuer: 'https://login.example.com' }
    await expect(signIn()).rejects.toMatchObject(
      saying(`Expected issuer "${provider.issuer}/", seen "https://login.example.com".`),
    )
  })

  test('the seconds between two clocks', async () => {
    provider.claims = { nbf: now() + 90 }
    await expect(signIn()).rejects.toMatchObject(
      saying('s by the clock of this server; at most 30 s are expected. Set the clocks of both computers.'),
    )
    provider.claims = { exp: now() - 400 }
    await expect(signIn()).rejects.toMatchObject({
      message: expect.stringMatching(/Its token expired 40\d s ago by the clock of this server; at most 30 s/),
    })
  })

  test('the algorithm of the signature', async () => {
    provider.algorithm = 'HS256'
    await expect(signIn()).rejects.toMatchObject(saying('seen "HS256".'))
  })

  test('a long text is cut', async () => {
    provider.claims = { aud: 'x'.repeat(10_000) }
    await expect(signIn()).rejects.toMatchObject({ message: expect.stringMatching(/^.{200,600}$/) })
  })
})

describe('userinfo', () => {
  const userInfo = (body: object) => {
    provider.metadata = { userinfo_endpoint: `${provider.issuer}/userinfo` }
    let asked = 0
    provider.answers.set('/userinfo', (_, response) => {
      asked += 1
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
    return () => asked
  }

  test('is asked for the address that a token lacks', async () => {
    const asked = userInfo({ sub: 'mallory', email: 'mallory@example.org', email_verified: 'true' })
    expect(await signIn()).toMatchObject({ email: 'mallory@example.org', name: 'mallory@example.org' })
    expect(asked()).toBe(1)
  })

  test('is not asked where the token has the address', async () => {
    const asked = userInfo({ sub: 'mallory', email: 'other@example.org' })
    provider.claims = { email: 'mallory@example.org' }
    expect(await signIn()).toMatchObject({ email: 'mallory@example.org' })
    expect(asked()).toBe(0)
  })

  test('of another person is dismissed', async () => {
    userInfo({ sub: 'somebody-else', email: 'ada@example.org', email_verified: true })
    expect(await signIn()).toMatchObject({ email: null, name: 'mallory' })
  })
})

test('redirects are not followed', async () => {
  let followed = 0
  provider.answers.set('/elsewhere', (_, response) => {
    followed += 1
    response.end('{}')
  })
  for (const path of [discovery, '/token', '/keys']) {
    provider.answers.set(path, redirectTo(`${provider.issuer}/elsewhere`))
    await expect(signIn()).rejects.toMatchObject(notAccepted)
    provider.answers.delete(path)
    clock.advance(61 * 60_000)
  }
  expect(followed).toBe(0)
})

test('an answer of more than 256 KiB is rejected, even if it is right', async () => {
  provider.padding = 255 * 1024
  expect(await signIn()).toMatchObject({ name: 'mallory' })
  clock.advance(61 * 60_000)
  provider.padding = 256 * 1024
  await expect(signIn()).rejects.toMatchObject(notAccepted)
})

test('a huge answer is cut off while it is unpacked', async () => {
  for (const path of [discovery, '/token', '/keys']) {
    provider.answers.set(path, sendBomb)
    await expect(signIn()).rejects.toMatchObject(notAccepted)
    provider.answers.delete(path)
    clock.advance(61 * 60_000)
  }
})

test('a provider that never finishes its answer is given up after eight seconds', async () => {
  provider.answers.set('/token', trickle)
  await expect(signIn()).rejects.toMatchObject(late)
}, 20_000)

test('a provider that is down is named, and works again once it is back', async () => {
  provider.answers.set(discovery, (request) => request.socket.destroy())
  await expect(signIn()).rejects.toMatchObject(away)
  provider.answers.delete(discovery)
  expect(await signIn()).toMatchObject({ name: 'mallory' })
})

test('an address counts for the allowed domain only if the provider has verified it', async () => {
  server.settings['AppOptions__IdentityProviderAAllowedDomain'] = 'example.com'
  await server.restart()
  provider.claims = { email: 'mallory@example.com', email_verified: true }
  expect(await signIn()).toMatchObject({ email: 'mallory@example.com' })
  // Amazon Cognito and others send texts.
  provider.claims = { email: 'mallory@example.com', email_verified: 'true' }
  expect(await signIn()).toMatchObject({ email: 'mallory@example.com' })
  for (const claims of [{ email_verified: false }, { email_verified: 'false' }, {}]) {
    provider.claims = { email: 'mallory@example.com', ...claims }
    await expect(signIn()).rejects.toMatchObject({ status: 400, message: expect.stringContaining('example.com') })
  }
  delete server.settings['AppOptions__IdentityProviderAAllowedDomain']
  await server.restart()
})

test('what a provider writes about an error is shown to nobody', async () => {
  provider.answers.set('/token', (_, response) =>
    response
      .writeHead(400, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: 'invalid_grant', error_description: 'Call 555-0100 and tell your password' })),
  )
  await expect(signIn()).rejects.toMatchObject(notAccepted)
})
