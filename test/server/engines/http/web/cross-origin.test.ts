import { describe, expect, test } from 'vitest'
import { connectViewer } from '../../../../support/hub-client.ts'
import { ownerForFile, serverForFile, useTestServer } from '../../../../support/server.ts'

const friend = 'https://app.example'
const stranger = 'https://evil.example'

const server = serverForFile({
  settings: { AppOptions__EnableCors: 'true', AppOptions__CorsAllowedOrigins__0: friend },
})
const owner = ownerForFile(server)

const headersOf = async (path: string, origin: string, init: RequestInit = {}) => {
  const { status, headers } = await owner.fetch(path, {
    ...init,
    headers: { 'content-type': 'application/json', origin },
  })
  return {
    status,
    allowed: headers.get('access-control-allow-origin'),
    credentials: headers.get('access-control-allow-credentials'),
    vary: headers.get('vary') ?? '',
  }
}

describe('a page of an allowed origin', () => {
  test.each(['/api/v1/server-alert', '/api/nothing', '/hubs/viewer', '/downloads/nothing', '/health'])(
    'may read %s with credentials',
    async (path) => {
      const { allowed, credentials, vary } = await headersOf(path, friend)
      expect([allowed, credentials]).toEqual([friend, 'true'])
      expect(vary).toContain('Origin')
    },
  )

  test('passes the preflight with any method and header', async () => {
    const response = await fetch(`${server.url}/api/v1/server-alert`, {
      method: 'OPTIONS',
      headers: {
        origin: friend,
        'access-control-request-method': 'DELETE',
        'access-control-request-headers': 'x-api-key,content-type',
      },
    })
    expect(response.status).toBe(204)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': friend,
      'access-control-allow-methods': expect.stringContaining('DELETE'),
      'access-control-allow-headers': 'x-api-key,content-type',
    })
  })

  test.each([
    ['location', 'retry-after', 'x-request-id'],
    ['etag', 'accept-ranges', 'content-range', 'repr-digest', 'content-disposition'],
    ['api-supported-versions', 'deprecation', 'link', 'x-ignored', 'www-authenticate', 'allow'],
  ])('reads the headers %s, %s, %s and those like them', async (...names) => {
    const { headers } = await owner.fetch('/api/v1/version/server', { headers: { origin: friend } })
    const exposed = (headers.get('access-control-expose-headers') ?? '').split(',')
    expect(exposed).toEqual(expect.arrayContaining(names))
  })

  test('writes with the cookie and opens hubs like our own page', async () => {
    const body = JSON.stringify({ message: 'Hello' })
    expect((await headersOf('/api/v1/server-alert', friend, { method: 'POST', body })).status).toBe(200)
    const viewer = await connectViewer(owner, { headers: { origin: friend } })
    expect(viewer.connection.state).toBe('Connected')
  })
})

describe('a page of any other origin', () => {
  test.each([stranger, 'http://app.example', 'https://app.example:8443', 'https://app.example.evil.example', 'null'])(
    '%s may neither read nor write',
    async (origin) => {
      const { status, allowed, credentials, vary } = await headersOf('/api/v1/server-alert', origin)
      expect([status, allowed, credentials]).toEqual([200, null, null])
      // Otherwise a cache would give this answer to the allowed origin.
      expect(vary).toContain('Origin')
      const write = await headersOf('/api/v1/server-alert', origin, { method: 'POST', body: '{"message":"x"}' })
      expect(write.status).toBe(403)
      const preflight = await headersOf('/api/v1/server-alert', origin, { method: 'OPTIONS' })
      expect([preflight.status, preflight.allowed]).toEqual([405, null])
    },
  )
})

test.each<Record<string, string>>([
  {},
  { AppOptions__CorsAllowedOrigins__0: friend },
  { AppOptions__EnableCors: 'true' },
])('with the settings %j no other origin may read', async (settings) => {
  const server = await useTestServer({ settings })
  const { headers } = await fetch(`${server.url}/api/v1/version/server`, { headers: { origin: friend } })
  expect(headers.get('access-control-allow-origin')).toBeNull()
})
