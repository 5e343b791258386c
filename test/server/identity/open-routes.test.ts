import { describe, expect, test } from 'vitest'
import { addServerAccount } from '../../support/people.ts'
import { account, ownerForFile, serverForFile } from '../../support/server.ts'

// Without the throttle of keys: these tests fail more often than it allows.
const server = serverForFile({
  settings: { AppOptions__ServiceAccountAuthFailureLimit: '0', AppOptions__EnableInteractiveBearerLogin: 'true' },
})
const owner = ownerForFile(server)

const unknownKey = `33221100554477668899AABBCCDDEEFF:${'x'.repeat(86)}`
const statusOf = async (path: string, init: RequestInit) => (await fetch(server.url + path, init)).status

describe('a route that needs no caller', () => {
  test.each([
    ['an unknown API key', { 'x-api-key': unknownKey }],
    ['a malformed API key', { 'x-api-key': 'malformed' }],
    ['an unknown personal token', { 'x-personal-token': unknownKey }],
    ['a bearer token that is none', { authorization: 'Bearer none' }],
  ])('ignores %s', async (_, headers) => {
    expect(await statusOf('/api/v1/public-server-settings', { headers })).toBe(200)
    expect(await statusOf('/api/v1/version/server', { headers })).toBe(200)
    const signIn = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
    const body = JSON.stringify({ email: account.email, password: account.password })
    expect(await statusOf('/api/auth/login', { ...signIn, body })).toBe(200)
  })

  test('ignores a revoked API key', async () => {
    const { id, credentialId, key } = await addServerAccount(owner)
    await owner.serverServiceAccounts.revokeCredential({ params: { serviceAccountId: id, credentialId } })
    const headers = { 'x-api-key': key }
    expect(await statusOf('/api/v1/public-server-settings', { headers })).toBe(200)
    expect(await statusOf('/api/v1/tenants', { headers })).toBe(401)
  })

  test('still rejects a write from a page of another site', async () => {
    const headers = { 'x-api-key': unknownKey, origin: 'https://evil.example', 'content-type': 'application/json' }
    const body = JSON.stringify({ email: account.email, password: account.password })
    expect(await statusOf('/api/auth/login', { method: 'POST', headers, body })).toBe(403)
  })
})

test.each(['x-api-key', 'x-personal-token'])('an empty or blank %s header is no credential at all', async (name) => {
  for (const value of ['', '   ']) {
    const headers = { [name]: value }
    expect(await statusOf('/api/auth/me', { headers: { ...headers, cookie: owner.cookie! } })).toBe(200)
    expect(await statusOf('/api/v1/devices', { headers })).toBe(401)
    expect(await statusOf('/api/v1/public-server-settings', { headers })).toBe(200)
  }
})
