/**
 * Random requests, generated from our OpenAPI documents, against the real server. A failure prints the seed and the
 * path to replay: `fc.assert(…, { seed, path })`.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { documents, faultOf, operationsOf, unpublished, type DocumentedRoute } from '../support/openapi.ts'
import { requestsFor, type GeneratedRequest } from '../support/openapi-arbitraries.ts'
import { isNight, runs } from '../support/night.ts'
import { addServerAccount } from '../support/people.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { fillTenant } from '../support/tenant-data.ts'

/** Internal details that no response may contain. */
const internals = /\bat (\S+ \()?\S+:\d+:\d+|node_modules|sqlite|sequelize|\.ts\b:|\.js:\d/i

/** Word that all entities of the other tenant are named after. */
const secret = 'bravo'

/** Methods in order; deletions run last, so that other operations find entities. */
const order = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const operations = [...documents.values(), ...unpublished]
  .flatMap(operationsOf)
  .toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method))
const table = operations.map((route) => [`${route.method} ${route.path}`, route] as const)

/** Operations that end the session of the other tests: at once, or after some wrong passwords and codes. */
const ending = ['logout', 'change-password', 'manage/info', 'manage/2fa'].map((name) => `POST /api/auth/${name}`)
const bySession = table.filter(([name]) => !ending.includes(name))

interface Actor {
  server: TestServer
  headers: Record<string, string>
  tenantId: string
  /** Values for requests. */
  ids: readonly string[]
  /** Ids of the other tenant, never sent, because sent values may legitimately return. */
  hiddenIds: readonly string[]
}

async function startWithTwoTenants() {
  const settings = { AppOptions__EnablePublicRegistration: 'true', AppOptions__EnableInteractiveBearerLogin: 'true' }
  const server = await startTestServer({ settings })
  const first = await server.owner()
  const second = await server.owner({ email: 'grace@example.org', organizationName: 'Alpha' })
  return { server, first, second }
}

/** Sends a request, checks the response, and returns its status. */
async function check(actor: Actor, route: DocumentedRoute, request: GeneratedRequest): Promise<number> {
  const { method, path, headers, body } = request
  const response = await fetch(actor.server.url + path, {
    method,
    headers: { origin: actor.server.url, accept: 'application/json', ...headers, ...actor.headers },
    ...(body !== undefined && method !== 'GET' && { body }),
  })
  const text = await response.text()
  const shown = JSON.stringify({ request, status: response.status, text: text.slice(0, 2000) }, null, 1)
  expect(response.status, shown).toBeLessThan(500)
  expect(response.status === 401 && route.operation.security.length > 0, shown).toBe(false)
  expect(text, shown).not.toMatch(internals)
  const answer = { status: response.status, contentType: response.headers.get('content-type'), text }
  // A path of another shape does not belong to this operation.
  const isElsewhere = response.status === 404 || response.status === 405
  const fault = isElsewhere && text.includes('Address not found.') ? undefined : faultOf(route, answer)
  expect(fault, shown).toBeUndefined()
  expect(
    actor.hiddenIds.filter((id) => text.includes(id)),
    shown,
  ).toEqual([])
  expect(actor.hiddenIds.length > 0 && text.includes(secret), shown).toBe(false)
  return response.status
}

async function run(actor: Actor, route: DocumentedRoute, numRuns: number): Promise<Set<number>> {
  const statuses = new Set<number>()
  const pool = { ids: [...actor.ids, '00000000-0000-0000-0000-000000000000'] }
  const { valid, invalid } = requestsFor(route, pool, actor.tenantId)
  const property = async (request: GeneratedRequest) => void statuses.add(await check(actor, route, request))
  await fc.assert(fc.asyncProperty(valid, property), { numRuns })
  await fc.assert(fc.asyncProperty(invalid, property), { numRuns })
  return statuses
}

describe('generated requests of a tenant administrator', () => {
  let actor: Actor
  const successes: string[] = []

  beforeAll(async () => {
    const { server, first, second } = await startWithTwoTenants()
    const foreign = await fillTenant(server, first, secret)
    const known = foreign.filter((_, index) => index % 2 === 0)
    actor = {
      server,
      headers: { cookie: second.cookie! },
      tenantId: second.tenantId,
      ids: [...(await fillTenant(server, second, 'alpha')), ...known],
      hiddenIds: foreign.filter((id) => !known.includes(id)),
    }
  })
  afterAll(() => actor.server.stop())

  test.each(bySession)('get only data of the own tenant from %s', async (name, route) => {
    const statuses = await run(actor, route, runs(2))
    if ([...statuses].some((status) => status < 300)) {
      successes.push(name)
    }
  })

  test('are often accepted', () => {
    expect(successes.length).toBeGreaterThan(bySession.length / 3)
  })
})

/** By day, only an administrator of a tenant sends the same requests. */
describe.runIf(isNight)('generated requests of an unrestricted account', () => {
  let actor: Actor

  beforeAll(async () => {
    const { server, first, second } = await startWithTwoTenants()
    const ids = [...(await fillTenant(server, first, secret)), ...(await fillTenant(server, second, 'alpha'))]
    const { key } = await addServerAccount(first)
    actor = { server, headers: { 'x-api-key': key }, tenantId: second.tenantId, ids, hiddenIds: [] }
  })
  afterAll(() => actor.server.stop())

  test.each(table)('cause no server error at %s', async (_, route) => {
    await run(actor, route, runs(1))
  })
})
