import { describe, expect, test } from 'vitest'
import { rawRequest } from '../support/raw-request.ts'
import { useTestServer, type TestServer } from '../support/server.ts'

async function optionsFor({ url }: TestServer, host: string) {
  const headers = { host, 'x-page-key': 'key-of-a-page' }
  const { status, text } = await rawRequest(url, '/api/appliance/v1/sign-in/passkey/options', {
    method: 'POST',
    headers,
  })
  return { status, body: JSON.parse(text) as { detail?: string; options?: { rpId: string } } }
}

describe('the host name of passkeys', () => {
  test('is the configured one, whatever host was requested', async () => {
    const server = await useTestServer({ settings: { Branding__PublicUrl: 'https://farhand.example' } })
    for (const host of ['farhand.example', new URL(server.url).host]) {
      expect(await optionsFor(server, host)).toMatchObject({ body: { options: { rpId: 'farhand.example' } } })
    }
  })

  test('is that of the request for a name of this machine, and never a foreign one', async () => {
    const server = await useTestServer()
    const { port } = new URL(server.url)
    expect(await optionsFor(server, `localhost:${port}`)).toMatchObject({ body: { options: { rpId: 'localhost' } } })
    expect(await optionsFor(server, 'attacker.example')).toMatchObject({ status: 421 })
  })

  test('is no address', async () => {
    const server = await useTestServer()
    expect(await optionsFor(server, new URL(server.url).host)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('Open this server by its name') },
    })
  })
})
