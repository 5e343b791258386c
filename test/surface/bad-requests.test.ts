import type { z } from 'zod'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ProblemDetails } from '../../shared/contract/problem.ts'
import type { RouteDefinition } from '../../shared/contract/route.ts'
import { startTestServer, type Member, type TestServer } from '../support/server.ts'
import { manualClock, type ManualClock } from '../support/clock.ts'
import { declared, pathOf, rows } from './routes.ts'

let clock: ManualClock
let server: TestServer
let owner: Member

beforeAll(async () => {
  clock = manualClock()
  server = await startTestServer({ clock })
  owner = await server.owner()
})
afterAll(() => server.stop())

const json = { 'content-type': 'application/json' }
const foreignTenant = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const zeroTenant = '00000000-0000-0000-0000-000000000000'

async function send(definition: RouteDefinition, init: RequestInit = {}, path = pathOf(definition)) {
  // So that no table runs into the limit on attempts.
  clock.advance(60_000)
  const response = await owner.fetch(path, { method: definition.method, ...init })
  const text = await response.text()
  return { status: response.status, headers: response.headers, problem: text === '' ? undefined : JSON.parse(text) }
}

const withTenant = (definition: RouteDefinition, tenantId: string) =>
  `${pathOf(definition)}${definition.tenant === 'query' ? `?tenantId=${tenantId}` : ''}`

const hasBody = ({ body }: RouteDefinition) => body !== undefined
const wantsId = ({ params }: RouteDefinition) =>
  params !== undefined && Object.keys(params.shape).some((name) => name.endsWith('Id'))

describe('an id that is no GUID', () => {
  const ids = [
    '1',
    'search-me',
    '3f2504e0-4f89-41d3-9a0c-0305e82c330',
    '3f2504e04f8941d39a0c0305e82c3301',
    '%00',
    '..%2f',
  ]

  test.each(rows(wantsId))('%s is another address: 404', async (_, definition) => {
    for (const id of ids) {
      const { status, problem } = await send(definition, {}, pathOf(definition, id))
      expect([id, status, problem.detail]).toEqual([id, 404, 'This address does not exist.'])
    }
  })

  test('an address that cannot be decoded is 400', async () => {
    const response = await owner.fetch('/api/v1/devices/%E0%A4%A')
    expect(response.status).toBe(400)
    expect(ProblemDetails.parse(await response.json()).traceId).toBe(response.headers.get('x-request-id'))
  })

  test('a path with an upper-case id or a slash at the end is the same address', async () => {
    const { status, problem } = await send(
      { ...declared[0]!.definition, method: 'GET' },
      {},
      `/API/v1/Devices/${foreignTenant.toUpperCase()}/`,
    )
    expect([status, problem.detail]).toEqual([404, 'This device does not exist.'])
  })
})

describe('a body', () => {
  const wrong = ['', '{', '"text"', '[]', 'null', '7', '{"a":1}', '\u0000']

  test.each(rows(hasBody))('%s says what is wrong with it', async (_, definition) => {
    for (const body of wrong) {
      const { status, problem } = await send(
        definition,
        { body, headers: json },
        withTenant(definition, owner.tenantId),
      )
      // A device is looked up only when the request can be read.
      expect([body, status, problem.title]).toEqual([body, 400, 'One or more validation errors occurred.'])
      expect(Object.values(problem.errors as object).flat().length).toBeGreaterThan(0)
    }
  })

  test.each(rows(hasBody))('%s refuses every member of another type', async (_, definition) => {
    const names = Object.keys((definition.body as z.ZodObject).shape).filter((name) => name !== 'tenantId')
    for (const name of names) {
      const body = JSON.stringify({ tenantId: owner.tenantId, [name]: [{ no: 'such thing' }] })
      const { status, problem } = await send(
        definition,
        { body, headers: json },
        withTenant(definition, owner.tenantId),
      )
      expect([name, status]).toEqual([name, 400])
      expect(Object.keys(problem.errors as object).some((field) => field.startsWith(name))).toBe(true)
    }
  })

  test.each(rows(hasBody))('%s takes JSON only: 415', async (_, definition) => {
    const path = withTenant(definition, owner.tenantId)
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=iso-8859-1']) {
      const { status } = await send(definition, { body: '{}', headers: { 'content-type': type } }, path)
      expect([type, status]).toEqual([type, 415])
    }
  })

  test.each(rows(hasBody))('%s takes a megabyte: 413', async (_, definition) => {
    const body = JSON.stringify({ filler: 'x'.repeat(1024 * 1024) })
    const { status } = await send(definition, { body, headers: json }, withTenant(definition, owner.tenantId))
    expect(status).toBe(413)
  })
})

describe('the tenant of a request', () => {
  const bodyFor = ({ tenant }: RouteDefinition, tenantId: string | undefined) =>
    tenant === 'body'
      ? { headers: json, body: JSON.stringify({ tenantId, keyType: 'Persistent' }) }
      : { headers: json, ...(tenant === 'query' && {}) }

  const forQuery = (definition: RouteDefinition) => (definition.body ? { friendlyName: 'a name' } : undefined)

  const sendFor = (definition: RouteDefinition, tenantId: string | undefined) => {
    const query = definition.tenant === 'query' && tenantId !== undefined ? `?tenantId=${tenantId}` : ''
    const body = forQuery(definition)
    const init =
      definition.tenant === 'query' && body
        ? { headers: json, body: JSON.stringify(body) }
        : definition.tenant === 'query'
          ? {}
          : bodyFor(definition, tenantId)
    return send(definition, init, pathOf(definition) + query)
  }

  test.each(rows(({ tenant }) => tenant !== 'none'))('%s', async (_, definition) => {
    const statuses = []
    for (const tenantId of [undefined, 'no-guid', zeroTenant, foreignTenant]) {
      statuses.push((await sendFor(definition, tenantId)).status)
    }
    expect(statuses).toEqual([400, 400, 400, 403])
    const own = await sendFor(definition, owner.tenantId.toUpperCase())
    expect([200, 204, 404]).toContain(own.status)
  })

  test('a missing one is called by its name', async () => {
    const { problem } = await send(declared.find(({ name }) => name === 'installerKeys.list')!.definition)
    expect(problem).toMatchObject({ title: 'Invalid tenant id.', detail: 'tenantId must be a non-empty GUID.' })
  })

  test('a broken body comes before a missing tenant, and a missing tenant before a foreign one', async () => {
    const rename = declared.find(({ name }) => name === 'installerKeys.rename')!.definition
    const broken = await send(rename, { headers: json, body: '{' })
    expect(broken.problem.title).toBe('One or more validation errors occurred.')
    const noTenant = await send(rename, { headers: json, body: '{"friendlyName":"a"}' })
    expect(noTenant.problem.title).toBe('Invalid tenant id.')
  })
})
