import { beforeAll, describe, expect, test } from 'vitest'
import { permissions } from '../../shared/access.ts'
import type { RouteDefinition } from '../../shared/contract/route.ts'
import { isNight } from '../support/night.ts'
import { addMember, addServerAccount } from '../support/people.ts'
import { serverForFile, type Member } from '../support/server.ts'
import { requestFor } from './requests.ts'
import { answersProblems, declared, rows, someRows } from './routes.ts'

/** Holds every permission of a tenant, and none on the server. */
let administrator: Member
let key: string

const server = serverForFile()
beforeAll(async () => {
  const owner = await server.owner()
  const ofTenant = [...permissions].filter(([, scopes]) => scopes.includes('Tenant')).map(([name]) => name)
  administrator = await addMember(server, owner.tenantId, ofTenant)
  key = (await addServerAccount(await server.signIn())).key
})

const foreign = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const zero = '00000000-0000-0000-0000-000000000000'

async function statusOf(definition: RouteDefinition, tenantId?: string) {
  const { path, init } = requestFor(definition, tenantId === undefined ? {} : { tenantId })
  const url = tenantId === undefined && definition.tenant === 'route' ? path.replace(/:tenantId/, '') : path
  const response = await administrator.fetch(url, init)
  const text = await response.text()
  return { status: response.status, text }
}

const isTenantAccess = ({ access }: RouteDefinition) =>
  typeof access === 'string' || !('on' in access) || access.on !== 'server'

describe('the tenant that a request names', () => {
  const named = rows(
    (definition) =>
      ['query', 'queryOrClaim', 'body', 'bodyOrClaim'].includes(definition.tenant) && isTenantAccess(definition),
  )

  test.each(named)('%s accepts only the own one', async (_, definition) => {
    expect((await statusOf(definition, foreign)).status).toBe(403)
    // Every route reads its tenant by one function: by day one bad id stands for all.
    for (const tenantId of isNight ? ['', 'no-guid', zero] : [zero]) {
      expect([tenantId, (await statusOf(definition, tenantId)).status]).toEqual([tenantId, 400])
    }
    const own = await statusOf(definition, administrator.tenantId.toUpperCase())
    expect([own.status, own.text.includes('Invalid tenant id.')]).not.toEqual([400, true])
    expect(own.status).toBeLessThan(500)
    expect(own.text).not.toContain('This tenant is not yours.')
  })

  test.each(someRows((definition) => definition.tenant === 'query' && isTenantAccess(definition)))(
    '%s needs one in its query',
    async (_, definition) => {
      expect((await statusOf(definition)).status).toBe(400)
    },
  )

  test.each(someRows((definition) => definition.tenant.endsWith('OrClaim') && isTenantAccess(definition)))(
    '%s takes the own one where the request names none',
    async (_, definition) => {
      const { status, text } = await statusOf(definition)
      expect(text).not.toContain('Invalid tenant id.')
      expect(status).toBeLessThan(500)
    },
  )

  test.each(rows((definition) => definition.tenant === 'route' && isTenantAccess(definition)))(
    '%s reads it from its path',
    async (_, definition) => {
      const statuses = []
      for (const tenantId of ['no-guid', zero, foreign]) {
        statuses.push((await statusOf(definition, tenantId)).status)
      }
      expect(statuses).toEqual([404, 400, 403])
    },
  )
})

/** Sends the same request with the key of an unrestricted server account, which may name any tenant. */
async function asServer(definition: RouteDefinition, tenantId?: string) {
  const { path, init } = requestFor(definition, tenantId === undefined ? {} : { tenantId })
  const headers = new Headers((init as RequestInit).headers)
  headers.set('x-api-key', key)
  const response = await fetch(server.url + path, { ...init, headers })
  return { status: response.status, text: await response.text() }
}

describe('a tenant that does not exist', () => {
  test.each(someRows(({ tenant }) => ['query', 'queryOrClaim', 'body', 'bodyOrClaim', 'route'].includes(tenant)))(
    '%s is 404 for a server account',
    async (_, definition) => {
      const { status, text } = await asServer(definition, foreign)
      expect(status, text).toBe(404)
    },
  )
})

describe('the tenant of the principal', () => {
  test.each(rows(({ tenant }) => tenant === 'claim'))(
    '%s is 403 for a server account, which has none',
    async (_, definition) => {
      const { status, text } = await asServer(definition)
      expect([status, text !== '']).toEqual([403, answersProblems(definition)])
    },
  )

  test('deprecated routes do not read a tenant from the request', () => {
    const reading = declared.filter(
      ({ surface, definition }) => surface === 'internal' && !['claim', 'none'].includes(definition.tenant),
    )
    expect(reading.map(({ name }) => name)).toEqual([])
  })
})
