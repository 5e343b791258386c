import { expect, onTestFinished, test } from 'vitest'
import { permissions } from '../../../shared/access.ts'
import { zeroId } from '../../../shared/contract/fields.ts'
import { isNight } from '../../support/night.ts'
import { integrator, startTestServer, useTestServer, type TestServer } from '../../support/server.ts'
import { changesOf, stored } from '../../support/stored.ts'

const tokenId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const tokenHex = 'E004253F894FD3419A0C0305E82C3301'
const secret = 'a-bootstrap-secret-of-36-characters!'
const other = '00112233-4455-6677-8899-aabbccddeeff'
const admin = { email: 'Root@Example.org', password: 'Correct-Horse-7' }

const serviceAccount = {
  Bootstrap__ServerServiceAccountName: 'integration',
  Bootstrap__ServerServiceAccountTokenId: tokenId,
  Bootstrap__ServerServiceAccountTokenSecret: secret,
}
const administrator = { Bootstrap__AdminEmail: admin.email, Bootstrap__AdminPassword: admin.password }
const adminToken = { Bootstrap__AdminPatTokenId: other, Bootstrap__AdminPatSecret: `${secret}-of-the-admin` }

const withKey = (server: TestServer, key: string) => integrator(server.url, { 'x-api-key': key })

test('a server service account is created once, with the configured token id and secret as key', async () => {
  const settings = {
    ...serviceAccount,
    Bootstrap__ServerServiceAccountId: other,
    Bootstrap__ServerServiceAccountDescription: 'The first one',
  }
  const server = await useTestServer({ settings })
  const client = withKey(server, `${tokenHex}:${secret}`)
  const { items } = await client.serverServiceAccounts.list({})
  expect(items).toEqual([
    {
      id: other,
      name: 'integration',
      description: 'The first one',
      isEnabled: true,
      accessMode: 'Unrestricted',
      createdAt: expect.any(String),
      credentials: [
        expect.objectContaining({ id: tokenId, name: 'Bootstrap Credential', expiresAt: null, revokedAt: null }),
      ],
    },
  ])
  expect((await changesOf(server, other)).map(({ action, actor }) => [action, actor])).toEqual([
    ['service-account-created', null],
  ])
  const everything = [server.log.lines, await stored(server, 'SELECT * FROM authorization_change_logs')]
  expect(JSON.stringify(everything)).not.toContain(secret)
  expect(server.log.lines).toContainEqual({
    level: 'info',
    message: 'The service account of the configuration was created.',
    fields: {
      actor: expect.objectContaining({ type: 'system' }) as object,
      serviceAccountId: other,
      credentialId: tokenId,
    },
  })

  // With an existing name, all other changed settings are ignored.
  Object.assign(server.settings, {
    Bootstrap__ServerServiceAccountTokenSecret: `${secret}-changed`,
    Bootstrap__ServerServiceAccountDescription: 'Changed',
  })
  await client.serverServiceAccounts.createCredential({ params: { serviceAccountId: other }, body: { name: 'second' } })
  await server.restart()
  expect((await client.serverServiceAccounts.list({})).items).toMatchObject([
    { id: other, description: 'The first one', credentials: [{ id: tokenId }, { name: 'second' }] },
  ])
  await expect(withKey(server, `${tokenHex}:${secret}-changed`).serverServiceAccounts.list({})).rejects.toMatchObject({
    status: 401,
  })
})

test('a revoked bootstrap credential stays revoked over a restart', async () => {
  const server = await useTestServer({ settings: { ...serviceAccount, ...administrator } })
  const client = withKey(server, `${tokenHex}:${secret}`)
  const owner = await server.signIn(admin)
  const [account] = (await client.serverServiceAccounts.list({})).items
  await owner.serverServiceAccounts.revokeCredential({
    params: { serviceAccountId: account!.id, credentialId: tokenId },
  })
  await server.restart()
  await expect(client.serverServiceAccounts.list({})).rejects.toMatchObject({ status: 401 })
})

test('the administrator is created once, with a tenant, every permission and a token', async () => {
  const server = await useTestServer({ settings: { ...administrator, ...adminToken } })
  const token = `33221100554477668899AABBCCDDEEFF:${secret}-of-the-admin`
  const script = integrator(server.url, { 'x-personal-token': token })
  const me = await script.auth.me({})
  expect(me).toMatchObject({ email: 'root@example.org', userName: 'root@example.org', emailConfirmed: true })
  const owner = await server.signIn(admin)
  expect(owner.user.id).toBe(me.id)
  const { items } = await owner.permissionAssignments.list({
    tenantId: owner.tenantId,
    query: { principalKind: 'User', principalId: me.id },
  })
  expect(new Set(items.map(({ permissionName }) => permissionName))).toEqual(new Set(permissions.keys()))
  expect((await owner.personalAccessTokens.list({ tenantId: owner.tenantId })).items).toMatchObject([
    { id: other, name: 'Bootstrap Admin PAT', permissionMode: 'InheritOwner' },
  ])
  const everything = JSON.stringify([server.log.lines, await stored(server, 'SELECT * FROM authorization_change_logs')])
  expect(everything).not.toContain(secret)
  expect(everything).not.toContain(admin.password)
  await expect(server.owner()).rejects.toMatchObject({ status: 404 })

  Object.assign(server.settings, { Bootstrap__AdminEmail: 'second@example.org' })
  await server.restart()
  expect(await stored(server, 'SELECT email FROM users')).toEqual([{ email: 'root@example.org' }])
})

test('no account is created when users exist, or without the settings', async () => {
  const server = await useTestServer()
  await server.owner()
  expect(await stored(server, 'SELECT id FROM service_accounts')).toEqual([])
  Object.assign(server.settings, administrator)
  await server.restart()
  await expect(server.signIn(admin)).rejects.toThrow('was not signed in')
  expect(await stored(server, 'SELECT id FROM users')).toHaveLength(1)
})

const refusedToStart = (settings: Record<string, string>) =>
  startTestServer({ settings }).then(
    async (server) => {
      onTestFinished(() => server.stop())
      return 'it started'
    },
    (error: unknown) => (error as Error).message,
  )

test.each([
  [{ Bootstrap__ServerServiceAccountName: 'x'.repeat(101) }, 'Bootstrap__ServerServiceAccountName'],
  [{ Bootstrap__ServerServiceAccountTokenId: zeroId }, 'Bootstrap__ServerServiceAccountTokenId'],
  [{ Bootstrap__ServerServiceAccountTokenSecret: '' }, 'Bootstrap__ServerServiceAccountTokenSecret'],
  [{ Bootstrap__ServerServiceAccountTokenSecret: 'x'.repeat(31) }, 'Bootstrap__ServerServiceAccountTokenSecret'],
  [{ Bootstrap__ServerServiceAccountTokenSecret: `${secret}ü` }, 'Bootstrap__ServerServiceAccountTokenSecret'],
  [{ Bootstrap__ServerServiceAccountDescription: 'x'.repeat(501) }, 'Bootstrap__ServerServiceAccountDescription'],
  [{ ...administrator, Bootstrap__AdminEmail: 'nobody' }, 'Bootstrap__AdminEmail'],
  [{ ...administrator, Bootstrap__AdminPassword: 'too-weak-one' }, 'Bootstrap__AdminPassword'],
  [{ Bootstrap__AdminEmail: admin.email }, 'Bootstrap__AdminPassword'],
])('%j stops the start and names the key, without the value', async (settings, key) => {
  const message = await refusedToStart({ ...serviceAccount, ...settings })
  expect(message).toContain(key)
  for (const value of [secret, 'too-weak-one']) {
    expect(message).not.toContain(value)
  }
})

test.runIf(isNight)('a token id of another credential stops the start', async () => {
  const server = await useTestServer({ settings: { ...serviceAccount } })
  Object.assign(server.settings, { Bootstrap__ServerServiceAccountName: 'another' })
  await expect(server.restart()).rejects.toThrow('Bootstrap__ServerServiceAccountTokenId')
  Object.assign(server.settings, { Bootstrap__ServerServiceAccountTokenId: other })
  await server.restart()
  const { items } = await withKey(server, `${tokenHex}:${secret}`).serverServiceAccounts.list({})
  expect(items.map(({ name }) => name)).toEqual(['another', 'integration'])
})
