import { hostname, networkInterfaces } from 'node:os'
import { describe, expect, test } from 'vitest'
import { some } from '../support/night.ts'
import { rawRequest } from '../support/raw-request.ts'
import { startServerProcess, temporaryFolder } from '../support/server-process.ts'
import { account, useTestServer, type TestServer } from '../support/server.ts'

const registration = '/api/appliance/v1/registration'
const routes = [registration, '/api/auth/register'] as const

/** Headers of a proxy on this machine that forwards a remote client. */
const fromAfar = { 'x-forwarded-for': '203.0.113.7' }

async function register(server: { url: string }, path: string, headers: Record<string, string>, setupCode?: string) {
  const body = JSON.stringify({ email: account.email, password: account.password, setupCode })
  const sent = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }
  const { status, text } = await rawRequest(server.url, path, sent)
  return { status, problem: text }
}

const started = (settings: Record<string, string> = {}) =>
  useTestServer({ settings: { AppOptions__EnableInteractiveBearerLogin: 'true', ...settings } })

/** Clients for whom the setup code is needed, and the route by which the first account is made in the end. */
const remote: [client: string, settings: Record<string, string>, headers: Record<string, string>, path: string][] = [
  ['a trusted proxy', { AppOptions__KnownProxies__0: '127.0.0.1' }, fromAfar, routes[0]],
  [
    'a trusted proxy that says it is local',
    { AppOptions__KnownProxies__0: '127.0.0.1' },
    { 'x-forwarded-for': '127.0.0.1' },
    routes[1],
  ],
  ['a proxy that nobody named', {}, fromAfar, routes[1]],
  ['a proxy with headers of another kind', {}, { forwarded: 'for=203.0.113.7' }, routes[0]],
]

test.each(remote)(
  'the first account needs the setup code through %s, and any other code is rejected',
  async (_, settings, headers, path) => {
    const server = await started(settings)
    expect(server.setupCode).toMatch(/^[A-Z2-9]{5}-[A-Z2-9]{5}$/)
    for (const guess of [undefined, '', 'AAAAA-AAAAA', `${server.setupCode}A`]) {
      for (const each of routes) {
        expect(await register(server, each, headers, guess)).toMatchObject({
          status: 400,
          problem: expect.stringContaining('setupCode') as string,
        })
      }
    }
    expect(await server.rows('SELECT id FROM users')).toEqual([])
    const typed = ` ${server.setupCode?.toLowerCase().replace('-', ' ')} `
    expect((await register(server, path, headers, typed)).status).toBeLessThan(300)
    expect(await server.rows('SELECT id FROM users')).toHaveLength(1)
    // The code expires with the first account.
    for (const each of routes) {
      expect((await register(server, each, headers, server.setupCode ?? '')).status).toBe(404)
    }
  },
)

describe.each(some(routes, 2))('the first account by %s', (path) => {
  test('needs no setup code on this machine', async () => {
    const server = await started()
    expect((await register(server, path, {})).status).toBeLessThan(300)
  })

  test('needs the setup code on this machine too under a name that may resolve to another host', async () => {
    const server = await started({ Branding__PublicUrl: 'https://rdm.example.org' })
    for (const host of ['rdm.example.org', `${hostname()}.local`, `${hostname()}:5120`]) {
      expect([host, (await register(server, path, { host })).status]).toEqual([host, 400])
    }
    expect(await server.rows('SELECT id FROM users')).toEqual([])
    expect((await register(server, path, { host: 'LOCALHOST:1' })).status).toBeLessThan(300)
  })

  test('needs the setup code with open public registration too, unlike the second account', async () => {
    const server = await started({ AppOptions__EnablePublicRegistration: 'true' })
    expect((await register(server, path, fromAfar)).status).toBe(400)
    await server.owner({ email: 'first@example.org' })
    expect((await register(server, path, fromAfar)).status).toBeLessThan(300)
  })

  test('is rejected after several wrong guesses', async () => {
    const server = await started()
    const attempts = Array.from({ length: 25 }, () => register(server, path, fromAfar, 'AAAAA-AAAAA'))
    const statuses = (await Promise.all(attempts)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 429)).toHaveLength(5)
  })
})

const lanAddress = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

test.skipIf(lanAddress === undefined)('a peer on the network needs the code', async () => {
  const server = await useTestServer({ listenOn: 'https://0.0.0.0:0' })
  const there = { ...server, url: `https://${lanAddress}:${new URL(server.url).port}` }
  expect((await register(there, registration, {})).status).toBe(400)
  expect((await register(there, registration, {}, server.setupCode ?? '')).status).toBe(201)
})

test('each start creates another setup code, and a server with an account has none', async () => {
  const server = await started()
  const first = server.setupCode
  await server.restart()
  expect(server.setupCode).not.toBe(first)
  expect((await register(server, registration, fromAfar, first ?? '')).status).toBe(400)
  await server.owner()
  await server.restart()
  expect(server.setupCode).toBeNull()
})

test('the first account of a service needs the setup code, also on its own computer', async () => {
  const folder = await temporaryFolder()
  const service = await startServerProcess(folder, {}, {}, undefined, { args: ['--announce', folder] })
  const refused = await register(service, registration, {})
  expect(refused).toMatchObject({ status: 400, problem: expect.stringContaining('setupCode') as string })
  const code = service.lines.find((line) => line.startsWith('Setup code: '))?.slice(12, 23)
  expect((await register(service, registration, {}, code)).status).toBe(201)
})

test('the administrator of the configuration needs no setup code, and ends the setup', async () => {
  const server = await started({ Bootstrap__AdminEmail: account.email, Bootstrap__AdminPassword: account.password })
  expect(server.setupCode).toBeNull()
  expect((await server.signIn()).user.email).toBe(account.email)
})

describe.each(['http', 'https'])('on a server of the network (%s) without an account', (scheme) => {
  const ask = async (server: TestServer, path: string, host: string) =>
    (await rawRequest(server.url, path, { headers: { host, accept: 'text/html' } })).status

  test('an unknown host name gets no answer before the first account, and answers after it', async () => {
    const server = await useTestServer({ listenOn: `${scheme}://0.0.0.0:0` })
    const paths = [
      '/',
      '/welcome',
      '/alive',
      '/health',
      '/downloads/x',
      '/api/v1/public-server-settings',
      '/hubs/agent',
    ]
    const wellKnown = '/.well-known/farhand-identity'
    for (const path of [...paths, wellKnown]) {
      expect([path, await ask(server, path, 'evil.example')]).toEqual([path, 421])
    }
    // Behind a router, the address in the address bar may not belong to this machine, so any host name works for health
    // checks.
    expect(await ask(server, '/alive', '192.0.2.7:5120')).toBe(200)
    await server.owner()
    expect(await ask(server, '/alive', 'evil.example')).toBe(200)
  })
})
