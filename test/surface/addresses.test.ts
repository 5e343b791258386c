import { describe, expect, test } from 'vitest'
import { ProblemDetails } from '../../shared/contract/problem.ts'
import { some } from '../support/night.ts'
import { rawRequest } from '../support/raw-request.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'
import { declared, pathOf } from './routes.ts'

const server = serverForFile({ settings: { AppOptions__EnableInteractiveBearerLogin: 'true' } })
const owner = ownerForFile(server)

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Declared methods by path. */
const byPath = Map.groupBy(declared, ({ definition }) => pathOf(definition))
/** All paths at night, every fourth by day: the router treats them alike. */
const tried = some([...byPath.keys()], 4)

describe('a wrong method', () => {
  test.each(tried)('%s is 405 with the allowed methods', async (path) => {
    const allowed = byPath.get(path)!.map(({ definition }) => definition.method as string)
    for (const method of methods.filter((name) => !allowed.includes(name))) {
      const response = await owner.fetch(path, { method })
      expect([method, response.status]).toEqual([method, 405])
      expect(response.headers.get('allow')?.split(', ').toSorted()).toEqual(allowed.toSorted())
      const problem = ProblemDetails.parse(await response.json())
      expect(problem.traceId).toBe(response.headers.get('x-request-id'))
    }
  })
})

test('a health check is read by GET and HEAD alone', async () => {
  for (const path of ['/health', '/alive']) {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await owner.fetch(path, { method })
      expect([method, path, status, headers.get('allow')]).toEqual([method, path, 405, 'GET, HEAD'])
    }
  }
})

test.each([
  '/api',
  '/api/v1',
  '/api/v1/nothing',
  '/api/v1/devices/search/again',
  '/api/v1/effective-permissions/query',
  '/hubs',
  '/hubs/nobody',
  '/openapi',
  '/openapi/v1.json',
  '/openapi/nothing.json',
  '/reference',
  '/downloads/',
  '/downloads/nothing.zip',
  '/assets/nothing.js',
])('%s does not exist', async (path) => {
  const response = await owner.fetch(path)
  expect(response.status).toBe(404)
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(ProblemDetails.parse(await response.json()).traceId).toBe(response.headers.get('x-request-id'))
})

/** Groups of V1 without deprecated routes, and removed roots. */
const absent = [
  ['authorization-change-logs', 'customers', 'deployment-options', 'device-groups', 'effective-permissions'],
  ['permission-assignments', 'server-service-accounts', 'tenant-service-accounts', 'tenants', 'user-groups'],
  ['roles', 'user-roles', 'user-tags', 'v1/service-accounts'],
].flat()

test.each(some(absent, 3))('/api/%s does not exist', async (root) => {
  for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
    for (const path of [`/api/${root}`, `/api/${root}/3f2504e0-4f89-41d3-9a0c-0305e82c3301`]) {
      const response = await owner.fetch(path, { method })
      expect([method, path, response.status]).toEqual([method, path, 404])
    }
  }
})

describe('headers', () => {
  test.each(['/api/nothing', '/downloads/nothing', '/hubs/viewer', '/'])(
    '%s has the security headers of a page',
    async (path) => {
      const { headers } = await owner.fetch(path, { headers: { accept: 'text/html' } })
      expect(Object.fromEntries(headers)).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'SAMEORIGIN',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
      })
      expect(headers.get('x-powered-by')).toBeNull()
      const policy = headers.get('content-security-policy') ?? ''
      for (const directive of ["frame-ancestors 'none'", "default-src 'self'", "script-src 'self';"]) {
        expect(policy).toContain(directive)
      }
    },
  )

  // A browser ignores headers of pages on data, and `nosniff` keeps it from taking data for anything else.
  test.each([
    ['/health', 'text/plain; charset=utf-8', []],
    ['/alive', 'text/plain; charset=utf-8', []],
    ['/api/auth/me', 'application/json; charset=utf-8', []],
    ['/api/v1/version/server', 'application/json; charset=utf-8', ['api-supported-versions']],
  ])('%s has the headers that data needs and no others', async (path, type, more) => {
    const { headers, text } = await rawRequest(server.url, path, { headers: { cookie: owner.cookie ?? '' } })
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'content-type': type })
    const names = ['cache-control', 'content-length', 'content-type', 'date', 'x-content-type-options', ...more]
    expect(Object.keys(headers).toSorted()).toEqual(names.toSorted())
    const lines = ['HTTP/1.1 200 OK', ...Object.entries(headers).map((header) => header.join(': ')), '', text]
    expect(path === '/health' ? lines.join('\r\n').length : 0).toBeLessThanOrEqual(300)
  })

  test('only a response that is worth its time is compressed', async () => {
    const encodingOf = async (path: string) => {
      const response = await owner.fetch(path, { headers: { 'accept-encoding': 'gzip' } })
      expect(response.status).toBe(200)
      await response.arrayBuffer()
      return response.headers.get('content-encoding')
    }
    expect(await encodingOf('/api/auth/me')).toBeNull()
    expect(await encodingOf(`/api/v1/permission-assignments/catalog?tenantId=${owner.tenantId}`)).toBe('gzip')
  })

  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

  test.each(['/api/nothing', '/api/auth/me', '/api/users', '/api/v1/version/server', '/health', '/'])(
    'an answer of %s repeats the request id and the traceparent of its caller, if they are well-formed',
    async (path) => {
      const idsOf = async (headers: Record<string, string>) => {
        const response = await server.visitor().fetch(path, { headers })
        await response.arrayBuffer()
        return [response.headers.get('x-request-id'), response.headers.get('traceparent')]
      }
      expect(await idsOf({ 'x-request-id': 'order-4711', traceparent })).toEqual(['order-4711', traceparent])
      const [id, parent] = await idsOf({ 'x-request-id': 'x'.repeat(129), traceparent: 'mine' })
      expect(id ?? '').toMatch(/^([0-9a-f-]{36})?$/)
      expect(parent).toBeNull()
    },
  )

  test('the problem of a failed request carries the id that its caller sent', async () => {
    const response = await owner.fetch('/api/nothing', { headers: { 'x-request-id': 'order-4711' } })
    expect(ProblemDetails.parse(await response.json()).traceId).toBe('order-4711')
  })

  test.each(['/api/auth/me', '/api/v1/customers', '/api/users', '/hubs/viewer/negotiate'])(
    'a 401 of %s names the credentials that would do',
    async (path) => {
      const method = path.startsWith('/hubs') ? 'POST' : 'GET'
      const { status, headers } = await server.visitor().fetch(path, { method })
      expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('x-api-key')])
    },
  )

  const readable = declared.filter(({ definition }) => definition.method === 'GET' && definition.params === undefined)

  test.each(readable.map(({ definition }) => [definition.path, definition] as const))(
    '%s may be cached as long as declared',
    async (path, { cacheSeconds, access, tenant, mediaType }) => {
      const response = await owner.fetch(tenant === 'query' ? `${path}?tenantId=${owner.tenantId}` : path)
      const kept = `${access === 'anonymous' ? 'public' : 'private'}, max-age=${cacheSeconds}`
      const fresh = mediaType !== undefined && response.ok ? 'no-store, no-transform' : 'no-store'
      expect(response.headers.get('cache-control')).toBe(cacheSeconds === undefined || !response.ok ? fresh : kept)
      expect(response.headers.get('api-supported-versions')).toBe(path.startsWith('/api/v1/') ? '1.0' : null)
    },
  )

  test('HEAD answers like GET, without the body', async () => {
    const response = await owner.fetch('/api/auth/me', { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })
})

test('an address in absolute form is served, and a path of slashes causes no server error', async () => {
  const statusOf = async (path: string) => (await rawRequest(server.url, path)).status
  expect(await statusOf(`${server.url}/api/v1/version/server`)).toBe(200)
  expect(await statusOf('//')).toBeLessThan(500)
  expect(await statusOf('//evil.example/%2e%2e')).toBeLessThan(500)
})
