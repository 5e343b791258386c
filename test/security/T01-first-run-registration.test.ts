import { describe, expect, test } from 'vitest'
import { rawRequest } from '../support/raw-request.ts'
import { addServerAccount } from '../support/people.ts'
import { account, integrator, ownerForFile, serverForFile, useTestServer } from '../support/server.ts'

const stranger = { ...account, email: 'mallory@example.org' }

const post = async (url: string, path: string, headers: Record<string, string> = {}) => {
  const body = JSON.stringify(stranger)
  const sent = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }
  return (await rawRequest(url, path, sent)).status
}

describe('after the first user', () => {
  const server = serverForFile()
  const owner = ownerForFile(server)

  test.each([
    '/api/appliance/v1/registration',
    '/api/appliance/v1/registration/',
    '/API/APPLIANCE/V1/REGISTRATION',
    '//api/appliance/v1/registration',
    '/api//appliance/v1/registration',
    '/api/appliance/v1/./registration',
    '/api/appliance/v1/x/../registration',
    '/api/appliance/v1/%72egistration',
    '/api/appliance/v1%2fregistration',
    '/api/appliance/v1/registration%00',
    '/api/appliance/v1/registration;x',
    '/api/appliance/v1/registration?_method=POST&force=true',
    '/api/appliance/v2/registration',
    '/api/auth/register',
  ])('%s stays closed', async (path) => {
    const status = await post(server.url, path, {
      'x-original-url': '/api/appliance/v1/registration',
      'x-http-method-override': 'PUT',
    })
    expect(status).toBe(404)
    expect((await owner.publicServerSettings.get({})).isPublicRegistrationEnabled).toBe(false)
    expect(await server.rows('SELECT email FROM users')).toEqual([{ email: account.email }])
  })
})

test('many simultaneous first registrations succeed exactly once', async () => {
  const server = await useTestServer()
  const attempts = Array.from({ length: 8 }, (_, index) =>
    server.owner({ email: `person-${index}@example.org` }).then(
      () => 201,
      ({ status }: { status: number }) => status,
    ),
  )
  const statuses = await Promise.all(attempts)
  expect(statuses.filter((status) => status === 201)).toHaveLength(1)
  expect(statuses.filter((status) => status === 404)).toHaveLength(7)
})

test('creating a user without a credential is rejected', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  expect(await post(server.url, `/api/v1/users?tenantId=${owner.tenantId}`)).toBe(401)
  expect((await owner.users.list({ tenantId: owner.tenantId })).items).toHaveLength(1)
})

test('registration stays closed when every user has been deleted', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const integration = await addServerAccount(owner)
  await integration.tenants.delete({ params: { tenantId: owner.tenantId } })
  await expect(server.owner(stranger)).rejects.toMatchObject({ status: 404 })
  await server.restart()
  await expect(server.owner(stranger)).rejects.toMatchObject({ status: 404 })
  expect((await server.visitor().publicServerSettings.get({})).isPublicRegistrationEnabled).toBe(false)
})

test('registration closes with the first user, also when the API creates it', async () => {
  const settings = {
    Bootstrap__ServerServiceAccountName: 'provisioning',
    Bootstrap__ServerServiceAccountTokenId: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
    Bootstrap__ServerServiceAccountTokenSecret: 'a-secret-of-at-least-32-characters',
  }
  const server = await useTestServer({ settings })
  const key = 'E004253F894FD3419A0C0305E82C3301:a-secret-of-at-least-32-characters'
  const integration = integrator(server.url, { 'x-api-key': key })
  const { tenantId } = await integration.tenants.create({ body: { name: 'First' } })
  expect((await server.visitor().publicServerSettings.get({})).isPublicRegistrationEnabled).toBe(true)
  await integration.users.create({ tenantId, body: { userName: account.email } })
  await expect(server.owner(stranger)).rejects.toMatchObject({ status: 404 })
})

test('registration stays closed over a restart, and when the first user is deleted but data remains', async () => {
  const server = await useTestServer()
  await server.owner()
  await server.restart()
  await expect(server.owner(stranger)).rejects.toMatchObject({ status: 404 })
})

test('a page of another site cannot register the first user through a visitor’s browser', async () => {
  const server = await useTestServer()
  const path = '/api/appliance/v1/registration'
  expect(await post(server.url, path, { origin: 'https://evil.example' })).toBe(403)
  expect(await post(server.url, path, { 'sec-fetch-site': 'cross-site' })).toBe(403)
  // DNS rebinding: a foreign host name resolves to this machine, so the browser treats both as the same site.
  const rebound = `evil.example:${new URL(server.url).port}`
  expect(await post(server.url, path, { host: rebound, origin: `http://${rebound}` })).toBe(421)
  expect((await server.visitor().publicServerSettings.get({})).isPublicRegistrationEnabled).toBe(true)
})
