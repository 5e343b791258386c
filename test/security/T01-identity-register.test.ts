import { beforeAll, expect, test } from 'vitest'
import { rawRequest } from '../support/raw-request.ts'
import { account, serverForFile, startTestServer } from '../support/server.ts'

const stranger = { email: 'mallory@example.org', password: account.password }

const server = serverForFile({ settings: { AppOptions__EnableInteractiveBearerLogin: 'true' } })
beforeAll(async () => {
  await server.owner()
})

test.each([
  '/api/auth/register',
  '/api/auth/register/',
  '/API/Auth/REGISTER',
  '//api/auth/register',
  '/api//auth/register',
  '/api/auth/./register',
  '/api/auth/manage/../register',
  '/api/auth/%72egister',
  '/api/auth%2fregister',
  '/api/auth/register%00',
  '/api/auth/register;x',
  '/api/auth/register?returnUrl=/&force=true',
  '/api/auth/login/../register',
  '/api/v1/auth/register',
])('%s registers nobody after the first user', async (path) => {
  const { status } = await rawRequest(server.url, path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-original-url': '/api/auth/register',
      'x-http-method-override': 'PUT',
    },
    body: JSON.stringify(stranger),
  })
  expect(status).toBe(404)
  expect(await server.rows('SELECT email FROM users')).toEqual([{ email: account.email }])
})

test('many simultaneous first registrations over both routes succeed exactly once', async () => {
  const fresh = await startTestServer({ settings: { AppOptions__EnableInteractiveBearerLogin: 'true' } })
  try {
    const attempts = Array.from({ length: 8 }, (_, index) => {
      const body = { ...stranger, email: `person-${index}@example.org` }
      const visitor = fresh.visitor()
      return index % 2 ? visitor.identity.register({ body }) : visitor.applianceSession.register({ body })
    })
    const settled = await Promise.allSettled(attempts)
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await fresh.rows('SELECT id FROM users')).toHaveLength(1)
    expect(
      await fresh.rows("SELECT id FROM permission_assignments WHERE permissionName = 'server.settings.write'"),
    ).toHaveLength(1)
  } finally {
    await fresh.stop()
  }
})
