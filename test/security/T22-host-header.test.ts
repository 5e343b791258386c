import { hostname } from 'node:os'
import { describe, expect, test } from 'vitest'
import { enroll } from '../support/agent.ts'
import { rawRequest } from '../support/raw-request.ts'
import { useTestServer, type Member, type TestServer } from '../support/server.ts'

async function get(owner: Member, host: string, path: string, headers: Record<string, string> = {}) {
  const sent = { headers: { host, cookie: owner.cookie ?? '', ...headers } }
  const { status, text } = await rawRequest(owner.url, path, sent)
  return { status, body: JSON.parse(text) as Record<string, unknown> }
}

async function serverUrlFor(server: TestServer, host: string) {
  const owner = await server.signIn()
  const { status, body } = await get(owner, host, `/api/appliance/v1/deployment?tenantId=${owner.tenantId}`)
  return status === 200 ? body['serverUrl'] : status
}

async function started(settings: Record<string, string>) {
  const server = await useTestServer({ settings })
  await server.owner()
  return { server, port: new URL(server.url).port }
}

describe('the address in an install command', () => {
  test('is the configured one, whatever host was requested', async () => {
    const { server, port } = await started({ Branding__PublicUrl: 'https://farhand.example/' })
    expect(await serverUrlFor(server, `127.0.0.1:${port}`)).toBe('https://farhand.example')
    expect(await serverUrlFor(server, 'farhand.example')).toBe('https://farhand.example')
  })

  test('is the requested one when it is known to be of this server', async () => {
    const { server, port } = await started({})
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `${hostname()}:${port}`]) {
      expect(await serverUrlFor(server, host)).toBe(`http://${host}`)
    }
  })

  test('is never a host name chosen by the request', async () => {
    const { server, port } = await started({ Urls: 'http://*:0' })
    const honest = await serverUrlFor(server, `127.0.0.1:${port}`)
    expect(honest).toMatch(new RegExp(String.raw`^http://[\d.]+:${port}$`))
    expect(await serverUrlFor(server, 'evil.example')).toBe(honest)
    expect(await serverUrlFor(server, `127.0.0.1:${port}@evil.example`)).toBe(honest)
  })

  test('may be a host name that the administrator allowed', async () => {
    const { server, port } = await started({ AllowedHosts: 'rdm.example;*.branch.example' })
    expect(await serverUrlFor(server, `rdm.example:${port}`)).toBe(`http://rdm.example:${port}`)
    expect(await serverUrlFor(server, 'oslo.branch.example')).toBe('http://oslo.branch.example')
    expect(await serverUrlFor(server, 'branch.example.evil')).toBe(421)
    expect(await serverUrlFor(server, `127.0.0.1:${port}`)).toBe(`http://127.0.0.1:${port}`)
  })
})

describe('a link with a logon token', () => {
  const linkFor = async (server: TestServer, host: string) => {
    const owner = await server.signIn()
    const { id: deviceId } = await enroll(owner)
    const body = JSON.stringify({ tenantId: owner.tenantId, deviceId, userCorrelationId: 'crm-7' })
    const headers = { host, cookie: owner.cookie!, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
    const { text } = await rawRequest(owner.url, '/api/v1/logon-tokens/external', { method: 'POST', headers, body })
    return new URL((JSON.parse(text) as { deviceAccessUrl: string }).deviceAccessUrl)
  }

  test('starts with the configured address, whatever host was requested', async () => {
    const { server } = await started({ Branding__PublicUrl: 'https://farhand.example/rdm' })
    const { origin, pathname } = await linkFor(server, 'farhand.example')
    expect(origin + pathname).toBe('https://farhand.example/rdm/device-access')
  })

  test('never has a host name chosen by the request', async () => {
    const { server, port } = await started({ Urls: 'http://*:0' })
    expect((await linkFor(server, 'evil.example')).host).toMatch(new RegExp(String.raw`^[\d.]+:${port}$`))
  })

  test('redirects only to a device of this server', async () => {
    const { server } = await started({})
    const owner = await server.signIn()
    for (const deviceId of ['//evil.example', 'https://evil.example', '/\\evil.example', '..%2f..%2fevil']) {
      const response = await owner.fetch(`/device-access?deviceId=${deviceId}`, { redirect: 'manual' })
      expect([response.status, response.headers.get('location')]).toEqual([401, null])
    }
  })
})

test('a server on loopback refuses other host names, so that DNS rebinding fails', async () => {
  const { server } = await started({})
  const owner = await server.signIn()
  const { status, body } = await get(owner, 'evil.example:5120', '/api/auth/me')
  expect([status, body['title']]).toEqual([421, 'Misdirected Request'])
  const hub = await get(owner, 'evil.example', '/hubs/viewer?id=1', { accept: 'text/event-stream' })
  expect(hub.status).toBe(421)
})
