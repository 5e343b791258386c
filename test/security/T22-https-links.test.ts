import { describe, expect, test } from 'vitest'
import { enroll } from '../support/agent.ts'
import { filesOf, otherAuthority } from '../support/certificates.ts'
import { rawRequest } from '../support/raw-request.ts'
import { useTestServer, type Member, type TestServer } from '../support/server.ts'

async function linkFor(owner: Member, deviceId: string, host: string): Promise<string> {
  const body = JSON.stringify({ tenantId: owner.tenantId, deviceId, userCorrelationId: 'crm-7' })
  const headers = { host, cookie: owner.cookie!, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
  const { text } = await rawRequest(owner.url, '/api/v1/logon-tokens/external', { method: 'POST', headers, body })
  return new URL((JSON.parse(text) as { deviceAccessUrl: string }).deviceAccessUrl).origin
}

const redirected = async (server: TestServer, host: string) => {
  const { headers } = await rawRequest(server.url.replace('https', 'http'), '/x', { headers: { host } })
  return headers.location
}

describe('a link that is made over TLS', () => {
  test('is https, and never to a host that the request chose', async () => {
    const server = await useTestServer({ listenOn: 'https://0.0.0.0:0' })
    const owner = await server.owner()
    const { id } = await enroll(owner)
    const { port } = new URL(server.url)
    const shown = await linkFor(owner, id, `127.0.0.1:${port}`)
    expect(shown).toMatch(new RegExp(`^https://(?!127\\.|evil).*:${port}$`))
    expect(await linkFor(owner, id, 'evil.example')).toBe(shown)
  })

  test('is to the configured address', async () => {
    const settings = { Branding__PublicUrl: 'https://rdm.example.org' }
    const server = await useTestServer({ listenOn: 'https://127.0.0.1:0', settings })
    const owner = await server.owner()
    const { id } = await enroll(owner)
    expect(await linkFor(owner, id, 'rdm.example.org')).toBe('https://rdm.example.org')
  })
})

test('the way from http to https never leads to a host that the request chose', async () => {
  const server = await useTestServer({
    listenOn: 'https://127.0.0.1:0',
    settings: { Branding__PublicUrl: 'https://rdm.example.org' },
  })
  const { port } = new URL(server.url)
  expect(await redirected(server, `localhost:${port}`)).toBe(`https://localhost:${port}/x`)
  expect(await redirected(server, 'rdm.example.org')).toBe('https://rdm.example.org/x')
  for (const host of ['evil.example', `127.0.0.1:${port}@evil.example`, '']) {
    expect(await redirected(server, host)).toBe(`https://127.0.0.1:${port}/x`)
  }
})

test('HSTS is sent only for an internet name with a certificate of a public authority', async () => {
  const other = await otherAuthority()
  const { cert, key } = await other.issue(['127.0.0.1', 'rdm.example.org'])
  const { crt } = await filesOf({ crt: cert + key })
  const insistsAt = async (server: TestServer, host: string, path: string) => {
    const { headers } = await rawRequest(server.url, path, { headers: { host, accept: 'text/html' } })
    return headers['strict-transport-security']
  }
  const settings = { AllowedHosts: 'rdm.example.org', Tls__CertificatePath: crt }
  const certified = await useTestServer({ listenOn: 'https://127.0.0.1:0', trusted: [other.pem], settings })
  const ours = await useTestServer({ listenOn: 'https://127.0.0.1:0', settings: { AllowedHosts: 'rdm.example.org' } })
  for (const path of ['/', '/api/v1/public-server-settings', '/no/such/thing']) {
    expect(await insistsAt(certified, 'rdm.example.org', path)).toMatch(/^max-age=\d+$/)
    expect(await insistsAt(certified, '127.0.0.1', path)).toBeUndefined()
    expect(await insistsAt(ours, 'rdm.example.org', path)).toBeUndefined()
  }
})
