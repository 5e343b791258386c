import { describe, expect, test } from 'vitest'
import { makeTicket } from '../../tools/simulate/relay-ticket.ts'
import { filesOf, otherAuthority } from '../support/certificates.ts'
import { refusedWith } from '../support/relay.ts'
import { account, useTestServer, type TestServer } from '../support/server.ts'

/** Statuses of a negotiation, a write and a relay connection by a page of `origin` with a visitor's cookie. */
async function statuses(server: TestServer, cookie: string, origin: string): Promise<number[]> {
  const headers = { cookie, origin }
  const negotiated = await fetch(`${server.url}/hubs/viewer/negotiate?negotiateVersion=1`, { method: 'POST', headers })
  const written = await fetch(`${server.url}/api/appliance/v1/session/proof`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ password: account.password }),
  })
  const relayed = await refusedWith(makeTicket(server.url).responder, headers)
  return [negotiated.status, written.status, relayed]
}

const own = [200, 204, 401]
const foreign = [403, 403, 403]

async function withOwnCertificate() {
  const other = await otherAuthority()
  const { cert, key } = await other.issue(['127.0.0.1', 'rdm.example.org'])
  const { crt } = await filesOf({ crt: cert + key })
  return { server: { Tls__CertificatePath: crt }, pem: other.pem }
}

describe.each(['of our own authority', 'of somebody else'])('with a certificate %s', (kind) => {
  test('only pages loaded over TLS from the same address use a cookie', async () => {
    const { server: settings, pem } = await withOwnCertificate()
    const isOwn = kind === 'of our own authority'
    const server = await useTestServer({
      listenOn: 'https://127.0.0.1:0',
      ...(!isOwn && { settings, trusted: [pem] }),
    })
    const { cookie = '' } = await server.owner()
    expect(await statuses(server, cookie, server.url)).toEqual(own)
    for (const origin of [
      server.url.replace('https', 'http'),
      'https://evil.example',
      'https://127.0.0.1:1',
      `${server.url}.evil.example`,
      'null',
    ]) {
      expect([origin, await statuses(server, cookie, origin)]).toEqual([origin, foreign])
    }
  })
})

test('behind a proxy that terminates TLS, https pages of the requested and the configured address are accepted', async () => {
  const server = await useTestServer({ settings: { Branding__PublicUrl: 'https://rdm.example.org' } })
  const { cookie = '' } = await server.owner()
  expect(await statuses(server, cookie, 'https://rdm.example.org')).toEqual(own)
  expect(await statuses(server, cookie, server.url.replace('http', 'https'))).toEqual(own)
  expect(await statuses(server, cookie, 'https://evil.example')).toEqual(foreign)
})
