import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { manualClock } from '../../support/clock.ts'
import { ownerForFile, serverForFile } from '../../support/server.ts'
import { changesOf, stored } from '../../support/stored.ts'

const unknownId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const path = '/api/v1/server-service-accounts'
const clock = manualClock(Date.UTC(2026, 0, 2))

const server = serverForFile({ clock })
const owner = ownerForFile(server)

const create = (accessMode: 'Unrestricted' | 'Restricted' = 'Restricted') =>
  owner.serverServiceAccounts.create({ body: { name: randomUUID(), accessMode } })

const get = (serviceAccountId: string) => owner.serverServiceAccounts.get({ params: { serviceAccountId } })

const createCredential = (serviceAccountId: string, body: { name: string; expiresAt?: string }) =>
  owner.serverServiceAccounts.createCredential({ params: { serviceAccountId }, body })

/** Whether a key authenticates, whatever its holder's rights. */
const opens = async (key: string) => (await fetch(server.url + path, { headers: { 'x-api-key': key } })).status !== 401

const send = (method: string, address: string, body?: unknown) =>
  owner.fetch(address, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })

test('credentials show their key once, and are stored as a hash', async () => {
  const account = await create('Unrestricted')
  const answer = await createCredential(account.id, { name: ' build ', expiresAt: '2027-01-01T01:00:00+01:00' })
  expect(answer).toEqual({
    credential: {
      id: expect.any(String),
      name: 'build',
      createdAt: new Date(clock.now()).toISOString(),
      expiresAt: '2027-01-01T00:00:00.000Z',
      revokedAt: null,
      lastUsedAt: null,
    },
    plainTextSecretKey: expect.stringMatching(/^[\dA-F]{32}:[\w-]{86}$/),
  })
  const [, secret = ''] = answer.plainTextSecretKey.split(':')
  expect((await get(account.id)).credentials).toEqual([answer.credential])
  const everything = [
    await stored(server, 'SELECT * FROM service_account_credentials'),
    await stored(server, 'SELECT * FROM authorization_change_logs'),
    server.log.lines,
    await owner.serverServiceAccounts.list({}),
  ]
  expect(JSON.stringify(everything)).not.toContain(secret)
  expect(JSON.stringify(everything.slice(1))).not.toContain('secretHash')
  expect(await changesOf(server, answer.credential.id)).toEqual([
    {
      action: 'service-account-credential-created',
      actor: owner.user.id,
      before: null,
      after: expect.objectContaining({ name: 'build', serviceAccountId: account.id }),
    },
  ])
})

test.each([
  [{}, 'name'],
  [{ name: '' }, 'name'],
  [{ name: 'x'.repeat(101) }, 'name'],
  [{ name: 'x', expiresAt: 'soon' }, 'expiresAt'],
  [{ name: 'x', expiresAt: '2025-12-31T00:00:00Z' }, 'expiresAt'],
])('%j is refused for its %s', async (body, field) => {
  const { id } = await create()
  const response = await send('POST', `${path}/${id}/credentials`, body)
  expect(response.status).toBe(400)
  expect(Object.keys(((await response.json()) as { errors: object }).errors)).toEqual([field])
})

test('credentials whose expiration is not in the future are refused', async () => {
  const { id } = await create()
  const now = new Date(clock.now()).toISOString()
  await expect(createCredential(id, { name: 'x', expiresAt: now })).rejects.toMatchObject({ status: 400 })
  await createCredential(id, { name: 'x', expiresAt: new Date(clock.now() + 1).toISOString() })
})

/** Creates a credential in a given state. */
const inState = async (state: 'active' | 'revoked' | 'expired') => {
  const { id: serviceAccountId } = await create()
  const expiresAt = new Date(clock.now() + 1_000).toISOString()
  const { credential, plainTextSecretKey: key } = await createCredential(serviceAccountId, {
    name: state,
    ...(state === 'expired' && { expiresAt }),
  })
  const params = { serviceAccountId, credentialId: credential.id }
  if (state === 'revoked') {
    await owner.serverServiceAccounts.revokeCredential({ params })
  }
  clock.advance(1_000)
  return { key, params, credential }
}

test('revoked credentials stay in the list and are refused; revoking again changes nothing', async () => {
  const { key, params } = await inState('active')
  expect(await opens(key)).toBe(true)
  const address = `${path}/${params.serviceAccountId}/credentials/${params.credentialId}`
  expect((await send('DELETE', address)).status).toBe(204)
  expect(await opens(key)).toBe(false)
  const revokedAt = new Date(clock.now()).toISOString()
  clock.advance(1_000)
  expect((await send('DELETE', address)).status).toBe(204)
  const { credentials } = await get(params.serviceAccountId)
  expect(credentials).toEqual([expect.objectContaining({ id: params.credentialId, revokedAt })])
  expect((await changesOf(server, params.credentialId)).map(({ action }) => action)).toEqual([
    'service-account-credential-created',
    'service-account-credential-revoked',
  ])
})

test.each(['revoked', 'expired'] as const)('credentials that are %s can be removed, once', async (state) => {
  const { key, params } = await inState(state)
  expect(await opens(key)).toBe(false)
  const address = `${path}/${params.serviceAccountId}/credentials/${params.credentialId}/purge`
  expect((await send('DELETE', address)).status).toBe(204)
  expect((await get(params.serviceAccountId)).credentials).toEqual([])
  expect((await send('DELETE', address)).status).toBe(404)
  expect((await changesOf(server, params.credentialId)).at(-1)?.action).toBe('service-account-credential-deleted')
})

test('credentials that are active cannot be removed', async () => {
  const { key, params } = await inState('active')
  await expect(owner.serverServiceAccounts.purgeCredential({ params })).rejects.toMatchObject({
    status: 400,
    message: 'Only revoked or expired credentials can be deleted. Revoke the credential first.',
  })
  expect(await opens(key)).toBe(true)
})

test.each(['revokeCredential', 'purgeCredential'] as const)(
  '%s of an unknown one, and of one of another account, is 404',
  async (name) => {
    const [{ params }, { params: other }] = [await inState('revoked'), await inState('revoked')]
    for (const wrong of [
      { ...params, credentialId: unknownId },
      { ...params, credentialId: other.credentialId },
      { ...params, serviceAccountId: unknownId },
    ]) {
      await expect(owner.serverServiceAccounts[name]({ params: wrong })).rejects.toMatchObject({ status: 404 })
    }
  },
)

test('credentials for an unknown account are 404', async () => {
  await expect(createCredential(unknownId, { name: 'x' })).rejects.toMatchObject({ status: 404 })
})

test('ids in hex form are refused in a path', async () => {
  const account = await create()
  const { plainTextSecretKey } = await createCredential(account.id, { name: 'key' })
  const hex = plainTextSecretKey.slice(0, 32)
  expect((await send('DELETE', `${path}/${account.id}/credentials/${hex}`)).status).toBe(404)
})

test('credentials stay valid over a restart', async () => {
  const { key } = await inState('active')
  const { key: revoked } = await inState('revoked')
  await server.restart()
  expect([await opens(key), await opens(revoked)]).toEqual([true, false])
})
