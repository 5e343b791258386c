import { beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../support/clock.ts'
import type { RouteDefinition } from '../../shared/contract/route.ts'
import { account, serverForFile, useTestServer, type Member } from '../support/server.ts'
import { pathOf, someRows } from '../surface/routes.ts'

const clock = manualClock()
let owner: Member

const server = serverForFile({ clock, settings: { AppOptions__EnableInteractiveBearerLogin: 'true' } })
beforeAll(async () => {
  owner = await server.owner()
})

/** Uses the principal's own tenant, because a route would reject another tenant anyway. */
const withOwnTenant = (definition: RouteDefinition): RouteDefinition =>
  definition.tenant === 'route' && definition.path.includes('service-accounts')
    ? { ...definition, path: definition.path.replace(':tenantId', owner.tenantId) as `/${string}` }
    : definition

const send = (definition: RouteDefinition, headers: Record<string, string>) =>
  fetch(server.url + pathOf(withOwnTenant(definition)), {
    method: definition.method,
    headers: { cookie: owner.cookie!, 'content-type': 'application/json', ...headers },
    ...(definition.body && { body: '{}' }),
  })

const isWrite = ({ method }: RouteDefinition) => method !== 'GET'

describe('with the cookie of a signed-in user', () => {
  test.each(someRows(isWrite))('%s is rejected from other sites', async (_, definition) => {
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: server.url.replace('http:', 'https:').replace('127.0.0.1', 'localhost') },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of foreign) {
      const response = await send(definition, headers)
      expect([headers, response.status]).toEqual([headers, 403])
    }
  })

  test.each(someRows(isWrite))('%s needs an Origin header', async (_, definition) => {
    if (definition.limitedAttempts) {
      clock.advance(60_000)
      await owner.applianceSession.prove({ body: { password: account.password } })
    }
    expect((await send(definition, {})).status).toBe(403)
    expect((await send(definition, { origin: server.url })).status).not.toBe(403)
    expect((await send(definition, { 'sec-fetch-site': 'same-origin' })).status).not.toBe(403)
    if (definition.path.endsWith('/logout')) {
      owner = await server.signIn()
    }
  })
})

test('with CORS for some origins, all others are still rejected', async () => {
  const friend = 'https://app.example'
  const server = await useTestServer({
    settings: { AppOptions__EnableCors: 'true', AppOptions__CorsAllowedOrigins__0: friend },
  })
  const { cookie, url } = await server.owner()
  const post = async (origin: string) => {
    const headers = { origin, cookie: cookie!, 'content-type': 'application/json' }
    const { status } = await fetch(`${url}/api/v1/server-alert`, { method: 'POST', headers, body: '{"message":"x"}' })
    return status
  }
  expect(await post(friend)).toBe(200)
  for (const origin of ['https://evil.example', 'http://app.example', 'https://app.example.evil.example', 'null']) {
    expect([origin, await post(origin)]).toEqual([origin, 403])
  }
})

test('signing in from another site is rejected, also without a cookie', async () => {
  const response = await fetch(`${server.url}/api/appliance/v1/session`, {
    method: 'POST',
    headers: { origin: 'https://evil.example', 'content-type': 'application/json' },
    body: JSON.stringify(account),
  })
  expect([response.status, response.headers.get('set-cookie')]).toEqual([403, null])
})

test('forms, which other sites may send without a preflight, are not read as JSON', async () => {
  const body = new URLSearchParams({ email: account.email, password: account.password })
  const response = await fetch(`${server.url}/api/appliance/v1/session`, { method: 'POST', body })
  expect(response.status).toBe(415)
})

test('a key is accepted from any origin, because no page of another site can send it', async () => {
  const { plainTextToken } = await owner.personalAccessTokens.create({
    tenantId: owner.tenantId,
    body: { name: 'mine' },
  })
  const write = (headers: Record<string, string>) =>
    fetch(`${server.url}/api/v1/server-alert`, {
      method: 'POST',
      headers: { origin: 'https://evil.example', 'content-type': 'application/json', ...headers },
      body: '{"message":"x"}',
    })
  expect((await write({ 'x-personal-token': plainTextToken })).status).toBe(200)
  // The token takes precedence, and the cookie is ignored.
  expect((await write({ 'x-personal-token': plainTextToken, cookie: owner.cookie! })).status).toBe(200)
  expect((await write({ cookie: owner.cookie! })).status).toBe(403)
  expect((await write({})).status).toBe(403)
})
