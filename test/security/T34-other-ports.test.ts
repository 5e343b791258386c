import { afterAll, beforeAll, expect, test } from 'vitest'
import { HostileProvider } from '../support/hostile-provider.ts'
import { providerSettings } from '../support/identity-provider.ts'
import { addPasskey, namedUrl, pageMember, pageVisitor } from '../support/passkeys.ts'
import { rawRequest } from '../support/raw-request.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

/** Page of another program, on another port of the host. */
const other = 'http://localhost:9'
const provider = new HostileProvider()
let server: TestServer

beforeAll(async () => {
  await provider.start()
  server = await startTestServer({ settings: providerSettings('A', provider.issuer) })
  await server.owner()
})
afterAll(async () => {
  await server.stop()
  await provider.stop()
})

/** Sends a request as the other program, which names its own port. */
async function post(path: string, body?: unknown) {
  const { status, text } = await rawRequest(server.url, `/api/appliance/v1/sign-in/${path}`, {
    method: 'POST',
    headers: {
      host: new URL(other).host,
      origin: other,
      'x-page-key': 'key-of-another-page',
      'content-type': 'application/json',
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status, body: JSON.parse(text) }
}

test('a passkey that signed on a page of another port signs nobody in', async () => {
  const { authenticator } = await addPasskey(await pageMember(server))
  const begun = await post('passkey/options')
  expect(begun.status).toBe(200)
  const credential = authenticator.sign(begun.body, { origin: other })
  expect(await post('passkey', { ticket: begun.body.ticket, credential })).toMatchObject({ status: 401 })
})

test('a provider sends the browser back to the port of this server, whichever port was asked for', async () => {
  const { body } = await post('providers/a')
  expect(new URL(body.url).searchParams.get('redirect_uri')).toBe(`${namedUrl(server)}/sign-in/callback/a`)
  const { passkeys } = await pageVisitor(server).applianceIdentityProviders.ways({})
  expect(passkeys.origin).toBe(namedUrl(server))
})
