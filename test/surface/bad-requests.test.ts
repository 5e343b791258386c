import type { z } from 'zod'
import { describe, expect, test } from 'vitest'
import { ProblemDetails } from '../../shared/contract/problem.ts'
import type { RouteDefinition } from '../../shared/contract/route.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'
import { manualClock } from '../support/clock.ts'
import { isNight, some } from '../support/night.ts'
import { anyId, declared, pathOf, rows, someRows } from './routes.ts'

const clock = manualClock()
const server = serverForFile({ clock, settings: { AppOptions__EnableInteractiveBearerLogin: 'true' } })
const owner = ownerForFile(server)

const json = { 'content-type': 'application/json' }

async function send(definition: RouteDefinition, init: RequestInit = {}, path = pathOf(definition)) {
  if (definition.limitedAttempts) {
    clock.advance(60_000)
  }
  const response = await owner.fetch(path, { method: definition.method, ...init })
  const text = await response.text()
  return { status: response.status, headers: response.headers, problem: text === '' ? undefined : JSON.parse(text) }
}

const withTenant = (definition: RouteDefinition, tenantId: string) =>
  `${pathOf(definition)}${definition.tenant.startsWith('query') ? `?tenantId=${tenantId}` : ''}`

const readsJson = ({ body, bodyType = 'json' }: RouteDefinition) => body !== undefined && bodyType === 'json'
const readsForm = ({ bodyType = 'json' }: RouteDefinition) => bodyType !== 'json'
const isId = (field: z.ZodType) => field.safeParse(anyId).success && !field.safeParse('x').success
const wantsId = ({ params }: RouteDefinition) =>
  Object.values(params?.shape ?? {}).some((field) => isId(field as z.ZodType))

/** Rows of some routes with the values to send: all of them at night, else the next one to each route. */
const rowsWith = <T>(values: readonly T[], isMeant: (definition: RouteDefinition) => boolean) =>
  someRows(isMeant).map(
    ([name, definition], index) => [name, definition, isNight ? values : [values[index % values.length]!]] as const,
  )

describe('an id that is not a GUID', () => {
  const ids = ['1', 'search-me', '3f2504e0-4f89-41d3-9a0c-0305e82c330', '3f2504e04f8941d39a0c0305e82c3301', '..%2f']

  test.each(rowsWith(ids, wantsId))('%s does not match the route: 404', async (_, definition, sent) => {
    for (const id of sent) {
      const { status, problem } = await send(definition, {}, pathOf(definition, id))
      expect([id, status, problem.detail]).toEqual([id, 404, 'Address not found.'])
    }
  })

  test('a NUL character is 400 in any part of a request', async () => {
    const { tenantId } = owner
    const answers = [
      await owner.fetch(`/api/v1/tenant-settings/%00?tenantId=${tenantId}`),
      await owner.fetch(`/api/v1/permission-assignments?tenantId=${tenantId}&principalKind=User&principalId=%00`),
      await owner.fetch(`/api/v1/customers?tenantId=${tenantId}`, {
        method: 'POST',
        headers: json,
        body: '{"name":"a\\u0000b"}',
      }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400])
    // An escaped backslash before `u0000` is not a NUL.
    const body = JSON.stringify({ name: 'a\\u0000b' })
    const init = { method: 'POST', headers: json, body }
    expect((await owner.fetch(`/api/v1/customers?tenantId=${tenantId}`, init)).status).toBe(201)
  })

  test('an address that cannot be decoded is 400', async () => {
    const response = await owner.fetch('/api/v1/devices/%E0%A4%A')
    expect(response.status).toBe(400)
    expect(ProblemDetails.parse(await response.json()).traceId).toBe(response.headers.get('x-request-id'))
  })

  test('the problem of an unknown address is not compressed', async () => {
    const response = await owner.fetch('/api/v1/nowhere', { headers: { 'accept-encoding': 'gzip, br' } })
    expect([response.status, response.headers.get('content-encoding')]).toEqual([404, null])
  })

  test('a path with an upper-case id or a slash at the end is the same address', async () => {
    const { status, problem } = await send(
      { ...declared[0]!.definition, method: 'GET' },
      {},
      `/API/v1/Devices/${anyId.toUpperCase()}/`,
    )
    expect([status, problem.detail]).toEqual([404, 'Device not found.'])
  })
})

describe('a body', () => {
  const unreadable = ['', '{', '"text"', '[]', 'null', '7', '\u0000']

  test.each(rowsWith(unreadable, readsJson))('%s is 400 with the invalid members', async (_, definition, sent) => {
    const isAllOptional = definition.body!.safeParse({}).success
    for (const body of isAllOptional ? sent : [...sent, '{"a":1}']) {
      const { status, problem } = await send(
        definition,
        { body, headers: json },
        withTenant(definition, owner.tenantId),
      )
      // The device is looked up only for a valid request.
      expect([body, status, problem.title]).toEqual([body, 400, 'One or more validation errors occurred.'])
      expect(Object.values(problem.errors as object).flat().length).toBeGreaterThan(0)
    }
  })

  test.each(rows(readsJson))('%s refuses every member of another type', async (_, definition) => {
    const names = Object.keys((definition.body as z.ZodObject).shape).filter((name) => name !== 'tenantId')
    const wrong = Object.fromEntries(names.map((name) => [name, [[{ no: 'such thing' }]]]))
    const body = JSON.stringify({ tenantId: owner.tenantId, ...wrong })
    const path = withTenant(definition, owner.tenantId)
    const { status, problem } = await send(definition, { body, headers: json }, path)
    expect(status).toBe(400)
    const refused = Object.keys(problem.errors as object)
    expect(names.filter((name) => !refused.some((field) => field.startsWith(name)))).toEqual([])
  })

  const otherTypes = ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=iso-8859-1']

  test.each(rowsWith(otherTypes, readsJson))('%s is 415 unless it is JSON', async (_, definition, sent) => {
    const path = withTenant(definition, owner.tenantId)
    for (const type of sent) {
      const { status } = await send(definition, { body: '{}', headers: { 'content-type': type } }, path)
      expect([type, status]).toEqual([type, 415])
    }
  })

  const tooLarge = JSON.stringify({ filler: 'x'.repeat(2 * 1024 * 1024) })

  test.each(some(rows(readsJson), 16))('%s is 413 above a megabyte', async (_, definition) => {
    const { status } = await send(definition, { body: tooLarge, headers: json }, withTenant(definition, owner.tenantId))
    expect(status).toBe(413)
  })

  test('that is missing is named in the problem', async () => {
    const path = `/api/v1/user-groups/${anyId}/members?tenantId=${owner.tenantId}`
    const response = await owner.fetch(path, { method: 'DELETE' })
    expect([response.status, await response.json()]).toMatchObject([400, { detail: 'The body is required' }])
  })

  test.each(rows(readsForm))('%s refuses JSON', async (_, definition) => {
    const path = withTenant(definition, owner.tenantId)
    const { status } = await send(definition, { body: '{}', headers: json }, path)
    expect([400, 404, 415]).toContain(status)
  })
})
