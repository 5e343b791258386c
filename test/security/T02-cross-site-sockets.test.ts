import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { makeTicket } from '../../tools/simulate/relay-ticket.ts'
import { ownerForFile, serverForFile, useTestServer } from '../support/server.ts'

const server = serverForFile()
const owner = ownerForFile(server)

/** Status of a rejected upgrade, or 101. */
function upgrade(url: string, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(url.replace('http', 'ws'), { headers })
  return new Promise((resolve, reject) => {
    socket.on('open', () => {
      socket.terminate()
      resolve(101)
    })
    socket.on('unexpected-response', (_, response) => {
      socket.on('error', () => {})
      socket.terminate()
      resolve(response.statusCode ?? 0)
    })
    socket.on('error', reject)
  })
}

test.each([
  ['our own page', { origin: 'OWN', cookie: 'LIVE' }, 101, 200],
  ['another site', { origin: 'https://evil.example', cookie: 'LIVE' }, 403, 403],
  ['our name with another port', { origin: 'http://127.0.0.1:1', cookie: 'LIVE' }, 403, 403],
  ['a page without a site', { origin: 'null', cookie: 'LIVE' }, 403, 403],
  ['an origin that only begins like ours', { origin: 'OWN.evil.example', cookie: 'LIVE' }, 403, 403],
  ['an origin that is none', { origin: '', cookie: 'LIVE' }, 403, 403],
  ['no origin but a cookie', { cookie: 'LIVE' }, 403, 403],
  ['no origin and no cookie', {}, 401, 401],
  ['another site without a cookie', { origin: 'https://evil.example' }, 403, 403],
  ['our own page with an old cookie', { origin: 'OWN', cookie: '.Farhand.Identity.PORT=old' }, 401, 401],
])('%s on the viewer hub', async (_, headers, onUpgrade, onNegotiate) => {
  const { cookie = '' } = owner
  const { port } = new URL(server.url)
  const filled = (value: string) => value.replace('OWN', server.url).replace('LIVE', cookie).replace('PORT', port)
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)]))
  expect(await upgrade(`${server.url}/hubs/viewer`, sent)).toBe(onUpgrade)
  const negotiated = await fetch(`${server.url}/hubs/viewer/negotiate?negotiateVersion=1`, {
    method: 'POST',
    headers: sent,
  })
  expect(negotiated.status).toBe(onNegotiate)
})

test('a page of another site may not open the agent hub; an agent without an origin may', async () => {
  expect(await upgrade(`${server.url}/hubs/agent`, { origin: 'https://evil.example' })).toBe(403)
  expect(await upgrade(`${server.url}/hubs/agent`, {})).toBe(101)
})

test('HTTP transports of the hubs reject requests from other sites', async () => {
  const { cookie = '' } = owner
  for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }] as Record<
    string,
    string
  >[]) {
    const response = await fetch(`${server.url}/hubs/viewer?id=x`, {
      headers: { cookie, accept: 'text/event-stream', ...headers },
    })
    expect(response.status).toBe(403)
  }
})

test('the configured public address is accepted as origin, whatever Host header a proxy sends', async () => {
  const server = await useTestServer({ settings: { Branding__PublicUrl: 'https://farhand.example' } })
  const { cookie = '' } = await server.owner()
  expect(await upgrade(`${server.url}/hubs/viewer`, { cookie, origin: 'https://farhand.example' })).toBe(101)
  expect(await upgrade(`${server.url}/hubs/viewer`, { cookie, origin: 'https://farhand.example.evil' })).toBe(403)
})

test('an upgrade of any other path is answered and closed', async () => {
  expect(await upgrade(`${server.url}/`, {})).toBe(404)
  expect(await upgrade(`${server.url}/api/auth/me`, {})).toBe(404)
})

test.each([
  ['another site', { origin: 'https://evil.example', cookie: 'LIVE' }, 403],
  ['another site without a cookie', { origin: 'https://evil.example' }, 403],
  ['a page without a site', { origin: 'null', cookie: 'LIVE' }, 403],
  ['no origin but a cookie', { cookie: 'LIVE' }, 403],
  ['no origin and no cookie', {}, 401],
  ['our own page, which has no session', { origin: 'OWN', cookie: 'LIVE' }, 408],
])('%s may not open the relay', async (_, headers, status) => {
  const { cookie = '' } = owner
  const filled = (value: string) => value.replace('OWN', server.url).replace('LIVE', cookie)
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)]))
  const { requester, responder } = makeTicket(server.url)
  expect(await upgrade(requester.replace('timeout=30', 'timeout=1'), sent)).toBe(status)
  // A page could also pose as a device.
  expect(await upgrade(responder, sent)).toBe(status === 403 ? 403 : 401)
})
