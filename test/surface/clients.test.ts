import type { z } from 'zod'
import { describe, expect, test } from 'vitest'
import { applianceSession } from '../../shared/api/appliance-session.ts'
import { customers } from '../../shared/api/customers.ts'
import { createClient } from '../../shared/contract/client.ts'
import type { RouteDefinition, RouteGroup } from '../../shared/contract/route.ts'
import { examplesOf } from './requests.ts'
import { groups, pathOf } from './routes.ts'
import { sourceFiles } from './source-files.ts'

type LooseClient = Record<string, (input: object) => Promise<unknown>>

const tenantId = '0f8fad5b-d9cb-469f-a165-70867728950e'

/** Files are transferred unencoded, with the browser's own `fetch`. */
const isJson = ({ bodyType = 'json', mediaType }: RouteDefinition) => bodyType === 'json' && mediaType === undefined

const routes = groups.flatMap(([, , group]) =>
  Object.entries(group.routes)
    .filter(([, definition]) => isJson(definition))
    .map(([name, definition]) => [`${definition.method} ${definition.path}`, group as RouteGroup, name] as const),
)

describe('the typed client', () => {
  test.each(routes)('sends %s as declared', async (_, group, name) => {
    const definition = group.routes[name]!
    const sent: { url: string; method: string; body?: string; headers: Record<string, string> }[] = []
    const client = createClient(group, {
      baseUrl: 'http://farhand',
      fetch: async (url, init) => {
        sent.push({ url, ...init })
        return { ok: false, status: 418, text: async () => '' }
      },
      headers: { 'x-api-key': 'key' },
    }) as unknown as LooseClient
    const { params, query, body } = examplesOf(definition)
    await expect(client[name]!({ params, query, body, tenantId })).rejects.toThrow('418')
    const { url, method, body: text, headers } = sent[0]!
    const { pathname, searchParams } = new URL(url)
    expect([method, pathname]).toEqual([definition.method, pathOf(definition)])
    expect(searchParams.get('tenantId')).toBe(tenantId)
    expect(headers).toMatchObject({ accept: 'application/json', 'x-api-key': 'key' })
    expect(text === undefined ? undefined : JSON.parse(text)).toEqual(body)
    expect(definition.body === undefined || (definition.body as z.ZodType).safeParse(body).success).toBe(true)
  })
})

test('a client with a tenant names it on routes that take it from the query, unless the request names another', async () => {
  const urls: string[] = []
  const options = {
    baseUrl: '',
    fetch: async (url: string) => {
      urls.push(url)
      return { ok: false, status: 418, text: async () => '' }
    },
    tenantId: () => tenantId,
  }
  const ofQuery = createClient(customers, options)
  const ofNobody = createClient(applianceSession, options)
  const other = tenantId.replace('0', '1')
  await Promise.allSettled([ofQuery.list({}), ofQuery.list({ tenantId: other }), ofNobody.registration({})])
  expect(urls).toEqual([
    `/api/v1/customers?tenantId=${tenantId}`,
    `/api/v1/customers?tenantId=${other}`,
    applianceSession.routes.registration.path,
  ])
})

test('our own programs do not use deprecated routes', () => {
  const offences = sourceFiles('{renderer,agent,main}/**/*.{ts,tsx,js}').flatMap(({ path, text }) =>
    [...text.matchAll(/['"`]\/api\/(?!v1\/|appliance\/v1\/|agent\/)|shared\/api\/internal-/g)].map(
      ([match]) => `${path}: ${match}`,
    ),
  )
  expect(offences).toEqual([])
})
