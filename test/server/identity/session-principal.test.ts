import { expect, test } from 'vitest'
import { addServerAccount, addTenantAccount } from '../../support/people.ts'
import { atTenant } from '../../support/grants.ts'
import { ownerForFile, serverForFile } from '../../support/server.ts'

const server = serverForFile()
const owner = ownerForFile(server)
const path = '/api/appliance/v1/session/principal'

const withKey = async (key: string) =>
  (await fetch(server.url + path, { headers: { 'x-api-key': key } })).json() as Promise<Record<string, unknown>>

test('a person learns its account, its session with an end, and its rights', async () => {
  const answer = await owner.applianceStatus.principal({})
  const { id } = await owner.auth.me({})
  expect(answer).toMatchObject({
    kind: 'User',
    id,
    tenantId: owner.tenantId,
    credential: { kind: 'Session', id: null, name: null, expiresAt: expect.stringMatching(/Z$/) },
  })
  const scopes = new Map(answer.rights.map(({ permission, scopes: given }) => [permission, given]))
  expect(scopes.get('tenant.permissions.write')).toEqual([{ kind: 'Tenant', id: owner.tenantId }])
  expect(scopes.get('server.permissions.write')).toEqual([{ kind: 'Server', id: null }])
})

test('a key learns its account, its name and end, and the one thing that it may do', async () => {
  const { id, key } = await addTenantAccount(owner, [atTenant('device.read')])
  expect(await withKey(key)).toMatchObject({
    kind: 'ServiceAccount',
    id,
    tenantId: owner.tenantId,
    credential: { kind: 'ServiceAccountCredential' },
    rights: [{ permission: 'device.read', scopes: [{ kind: 'Tenant', id: owner.tenantId }] }],
  })
})

test('an unrestricted account of the server belongs to no tenant and holds everything on the server', async () => {
  const { key } = await addServerAccount(owner)
  const { tenantId, rights } = (await withKey(key)) as { tenantId: null; rights: { scopes: unknown }[] }
  expect(tenantId).toBeNull()
  expect(new Set(rights.map(({ scopes }) => JSON.stringify(scopes)))).toEqual(
    new Set(['[{"kind":"Server","id":null}]']),
  )
})

test('a restricted token learns its own rights, not those of its owner', async () => {
  const { plainTextToken } = await owner.personalAccessTokens.create({
    tenantId: owner.tenantId,
    body: { name: 'reader', permissionMode: 'Restricted', scopes: [atTenant('device.read')] },
  })
  const response = await fetch(server.url + path, { headers: { 'x-personal-token': plainTextToken } })
  expect(await response.json()).toMatchObject({
    credential: { kind: 'PersonalAccessToken', name: 'reader' },
    rights: [{ permission: 'device.read', scopes: [{ kind: 'Tenant', id: owner.tenantId }] }],
  })
})

test('nobody is told without a credential', async () => {
  expect((await fetch(server.url + path)).status).toBe(401)
})
