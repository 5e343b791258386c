import { describe, expect, test } from 'vitest'
import { freePort } from '../../tools/simulate/free-port.ts'
import { card, secureGet } from '../support/network.ts'
import { rawRequest } from '../support/raw-request.ts'
import { useTestServer } from '../support/server.ts'

const machine = { readInterfaces: () => ({ eth0: card('192.0.2.10') }) }

async function served(settings: Record<string, string> = {}) {
  const server = await useTestServer({ settings, machine })
  const owner = await server.owner()
  const port = await freePort()
  await owner.applianceNetwork.set({ body: { isServed: true, port, names: ['farhand.test'] } })
  const get = async (path: string, host: string) => {
    const answer = await rawRequest(server.url, path, { headers: { host, cookie: owner.cookie! } })
    return { status: answer.status, text: answer.text }
  }
  return { server, owner, port, get }
}

const hostile = [
  'evil.example',
  'evil.example:5121',
  'farhand.test.evil.example',
  '127.0.0.1.evil.example',
  'x"><script>',
]

test('a page whose host name resolves to loopback is rejected while the network is served', async () => {
  const { server, get, port } = await served()
  const rebound = `evil.example:${new URL(server.url).port}`
  for (const path of [
    '/api/v1/public-server-settings',
    '/api/appliance/v1/network/trust',
    '/.well-known/farhand-identity',
  ]) {
    expect([path, (await get(path, rebound)).status]).toEqual([path, 421])
  }
  const headers = { host: rebound, origin: `http://${rebound}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ email: 'owner@example.org', password: 'guess' })
  for (const path of ['/api/appliance/v1/session', '/hubs/viewer/negotiate?negotiateVersion=1']) {
    expect([path, (await rawRequest(server.url, path, { method: 'POST', headers, body })).status]).toEqual([path, 421])
  }
  // Our own names keep working locally, and all names given to this machine keep working on the network.
  expect((await get('/api/appliance/v1/network/trust', `farhand.test:${port}`)).status).toBe(200)
  const ca = await (await server.visitor().fetch('/api/appliance/v1/network/authority')).text()
  expect((await secureGet(port, '/api/appliance/v1/network/trust', ca)).status).toBe(200)
})

describe('the addresses for agents and browsers', () => {
  test('never contain the host of a request', async () => {
    const { owner, port, get } = await served()
    const paths = [
      `/api/appliance/v1/deployment?tenantId=${owner.tenantId}`,
      '/api/appliance/v1/network',
      '/api/appliance/v1/network/trust',
      '/api/appliance/v1/network/authority/profile',
      '/.well-known/farhand-identity',
      '/trust',
    ]
    for (const [path, host] of paths.flatMap((each) => hostile.map((host) => [each, host] as const))) {
      const { text } = await get(path, host)
      expect(text).not.toMatch(/evil\.example|<script>/)
      const statement = /"statement":"([^"]+)"/.exec(text)?.[1]
      expect(Buffer.from(statement ?? '', 'base64').toString()).not.toContain('evil.example')
    }
    const { serverUrl } = await owner.applianceStatus.deployment({ tenantId: owner.tenantId })
    expect(serverUrl).toBe(`https://farhand.test:${port}`)
  })

  test('start with the configured address, without our pin where another server may answer there', async () => {
    const { owner } = await served({ Branding__PublicUrl: 'https://rmm.example' })
    const { serverUrl, serverPin } = await owner.applianceStatus.deployment({ tenantId: owner.tenantId })
    expect([serverUrl, serverPin]).toEqual(['https://rmm.example', null])
    expect((await owner.applianceNetwork.get({})).addresses[0]).toBe('https://rmm.example')
  })
})

test('our page may call our other addresses and no others, and no other page may', async () => {
  const { server, port } = await served()
  const policyOf = async (path: string) => {
    const { headers } = await server.visitor().fetch(path)
    return headers
      .get('content-security-policy')
      ?.split(';')
      .find((part) => part.startsWith('connect-src'))
  }
  const addresses = [`https://farhand.test:${port}`, `https://192.0.2.10:${port}`, `https://localhost:${port}`]
  const allowed = (await policyOf('/trust'))!.split(' ')
  expect(allowed).toEqual(expect.arrayContaining(addresses))
  expect(allowed.slice(2).every((origin) => origin.startsWith('https://') && origin.endsWith(`:${port}`))).toBe(true)
  for (const path of ['/network', '/trust/x', '/network-test', '/sign-in']) {
    expect(await policyOf(path)).toBe("connect-src 'self'")
  }
})
