import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { zeroId } from '../../../shared/contract/fields.ts'
import { manualClock } from '../../support/clock.ts'
import { addMember, addServerAccount } from '../../support/people.ts'
import { account as ada, integrator, serverForFile, type Member } from '../../support/server.ts'
import { changesOf, stored } from '../../support/stored.ts'

const unknownId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const path = '/api/v1/tenant-service-accounts'
const clock = manualClock(Date.UTC(2026, 0, 2))

const server = serverForFile({ clock, settings: { AppOptions__EnablePublicRegistration: 'true' } })
let owner: Member
let stranger: Member
let robot: Awaited<ReturnType<typeof addServerAccount>>
beforeAll(async () => {
  owner = await server.owner()
  stranger = await server.owner({ email: 'grace@example.org' })
  robot = await addServerAccount(owner)
})

type Visitor = Pick<Member, 'tenantServiceAccounts'>

const create = (visitor: Visitor = owner, tenantId = owner.tenantId, name: string = randomUUID()) =>
  visitor.tenantServiceAccounts.create({ params: { tenantId }, body: { name } })

const paramsOf = (serviceAccountId: string, tenantId = owner.tenantId) => ({ tenantId, serviceAccountId })

const opens = async (key: string) =>
  (await fetch(`${server.url}${path}/${owner.tenantId}`, { headers: { 'x-api-key': key } })).status !== 401

describe('accounts of a tenant', () => {
  test('are created, read, changed and deleted', async () => {
    const response = await owner.fetch(`${path}/${owner.tenantId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'robot', description: 'Builds', accessMode: 'Unrestricted' }),
    })
    expect(response.status).toBe(201)
    const made = (await response.json()) as { id: string }
    expect(made).toEqual({
      id: expect.any(String),
      name: 'robot',
      description: 'Builds',
      isEnabled: true,
      createdAt: '2026-01-02T00:00:00.000Z',
      credentials: [],
    })
    expect(response.headers.get('location')).toBe(`${path}/${owner.tenantId}/${made.id}`)
    const params = paramsOf(made.id)
    expect(await owner.tenantServiceAccounts.get({ params })).toEqual(made)
    const sql = 'SELECT accessMode FROM service_accounts WHERE id = ?'
    expect(await stored(server, sql, [made.id])).toEqual([{ accessMode: 'Restricted' }])
    const body = { name: 'robot 2', isEnabled: false }
    const changed = { ...made, ...body, description: null }
    expect(await owner.tenantServiceAccounts.update({ params, body })).toEqual(changed)
    const { items } = await owner.tenantServiceAccounts.list({ params: { tenantId: owner.tenantId } })
    expect(items).toEqual([changed])
    await owner.tenantServiceAccounts.delete({ params })
    await expect(owner.tenantServiceAccounts.get({ params })).rejects.toMatchObject({ status: 404 })
    expect((await changesOf(server, made.id)).map(({ action }) => action)).toEqual([
      'service-account-created',
      'service-account-updated',
      'service-account-deleted',
    ])
    const logged = await stored(server, 'SELECT owningTenantId FROM authorization_change_logs WHERE targetId = ?', [
      made.id,
    ])
    expect(logged[0]).toEqual({ owningTenantId: owner.tenantId })
  })

  test('have unique names within the tenant: a second one is 409', async () => {
    const name = randomUUID()
    await create(owner, owner.tenantId, name)
    await expect(create(owner, owner.tenantId, name)).rejects.toMatchObject({ status: 409 })
    await create(stranger, stranger.tenantId, name)
  })

  test('of another tenant are 404 under the own tenant, 403 under theirs', async () => {
    const { id } = await create(stranger, stranger.tenantId)
    const calls = (params: ReturnType<typeof paramsOf>) => {
      const routes = owner.tenantServiceAccounts
      const credentialParams = { ...params, credentialId: unknownId }
      return [
        routes.get({ params }),
        routes.update({ params, body: { name: 'mine' } }),
        routes.createCredential({ params, body: { name: 'mine' } }),
        routes.revokeCredential({ params: credentialParams }),
        routes.purgeCredential({ params: credentialParams }),
        routes.delete({ params }),
      ]
    }
    const statuses = async (params: ReturnType<typeof paramsOf>) =>
      (await Promise.allSettled(calls(params))).map(
        (answer) => answer.status === 'rejected' && (answer.reason as { status: number }).status,
      )
    expect(await statuses(paramsOf(id))).toEqual(Array(6).fill(404))
    expect(await statuses(paramsOf(id, stranger.tenantId))).toEqual(Array(6).fill(403))
    expect((await stranger.tenantServiceAccounts.get({ params: paramsOf(id, stranger.tenantId) })).id).toBe(id)
  })

  test('do not include the accounts of the server', async () => {
    await expect(owner.tenantServiceAccounts.get({ params: paramsOf(robot.id) })).rejects.toMatchObject({ status: 404 })
  })

  test('with the zero tenant are 400, and with an id that is not a GUID 404', async () => {
    const statusOf = async (tenantId: string) => (await owner.fetch(`${path}/${tenantId}`)).status
    expect(await statusOf(zeroId)).toBe(400)
    expect(await statusOf('mine')).toBe(404)
    await expect(create(robot, unknownId)).rejects.toMatchObject({ status: 404 })
    const unknown = robot.tenantServiceAccounts.list({ params: { tenantId: unknownId } })
    await expect(unknown).rejects.toMatchObject({ status: 404 })
  })

  test('of any tenant can be created by an account of the server', async () => {
    const { id } = await create(robot, stranger.tenantId)
    const { items } = await stranger.tenantServiceAccounts.list({ params: { tenantId: stranger.tenantId } })
    expect(items.map((item) => item.id)).toContain(id)
  })

  test('cannot delete themselves, and may do what they are given', async () => {
    const { id } = await create()
    const { plainTextSecretKey } = await owner.tenantServiceAccounts.createCredential({
      params: paramsOf(id),
      body: { name: 'key' },
    })
    const self = integrator(server.url, { 'x-api-key': plainTextSecretKey })
    await expect(self.tenantServiceAccounts.get({ params: paramsOf(id) })).rejects.toMatchObject({ status: 403 })
    const give = (permissionName: string) =>
      owner.permissionAssignments.create({
        tenantId: owner.tenantId,
        body: { principalKind: 'ServiceAccount', principalId: id, permissionName, scopeKind: 'Tenant' },
      })
    await give('service-account.read')
    await give('service-account.write')
    expect((await self.tenantServiceAccounts.get({ params: paramsOf(id) })).id).toBe(id)
    await expect(self.tenantServiceAccounts.delete({ params: paramsOf(id) })).rejects.toMatchObject({ status: 403 })
    const other = await create()
    await self.tenantServiceAccounts.delete({ params: paramsOf(other.id) })
  })
})

test('credentials change from active to revoked or expired, and can then be removed', async () => {
  const { id } = await create()
  const params = paramsOf(id)
  const routes = owner.tenantServiceAccounts
  const make = async (expiresAt?: string) => {
    const { credential, plainTextSecretKey } = await routes.createCredential({
      params,
      body: { name: 'key', ...(expiresAt !== undefined && { expiresAt }) },
    })
    return { key: plainTextSecretKey, params: { ...params, credentialId: credential.id } }
  }
  const [active, expiring] = [await make(), await make(new Date(clock.now() + 5_000).toISOString())]
  expect([await opens(active.key), await opens(expiring.key)]).toEqual([true, true])
  await expect(routes.purgeCredential(active)).rejects.toMatchObject({ status: 400 })
  await expect(routes.purgeCredential(expiring)).rejects.toMatchObject({ status: 400 })
  clock.advance(5_000)
  expect(await opens(expiring.key)).toBe(false)
  await routes.revokeCredential(active)
  await routes.revokeCredential(active)
  expect(await opens(active.key)).toBe(false)
  const revoked = (await routes.get({ params })).credentials.filter(({ revokedAt }) => revokedAt !== null)
  expect(revoked.map((credential) => credential.id)).toEqual([active.params.credentialId])
  await routes.purgeCredential(active)
  await routes.purgeCredential(expiring)
  await expect(routes.purgeCredential(active)).rejects.toMatchObject({ status: 404 })
  expect((await routes.get({ params })).credentials).toEqual([])
})

test('a credential for a disabled account is 403, one with a date in the past 400', async () => {
  const { id, name } = await create()
  const params = paramsOf(id)
  const makeCredential = (expiresAt?: string) =>
    owner.tenantServiceAccounts.createCredential({
      params,
      body: { name: 'key', ...(expiresAt !== undefined && { expiresAt }) },
    })
  await expect(makeCredential(new Date(clock.now()).toISOString())).rejects.toMatchObject({ status: 400 })
  await owner.tenantServiceAccounts.update({ params, body: { name, isEnabled: false } })
  await expect(makeCredential()).rejects.toMatchObject({ status: 403 })
})

test('the keys of a deleted tenant stop working', async () => {
  const { tenantId } = await robot.tenants.create({ body: { name: 'short-lived' } })
  const { id } = await create(robot, tenantId)
  const { plainTextSecretKey } = await robot.tenantServiceAccounts.createCredential({
    params: paramsOf(id, tenantId),
    body: { name: 'key' },
  })
  expect(await opens(plainTextSecretKey)).toBe(true)
  await robot.tenants.delete({ params: { tenantId } })
  expect(await opens(plainTextSecretKey)).toBe(false)
})

test('each route needs its own permission', async () => {
  const { id } = await create()
  const params = paramsOf(id)
  const outcomes = async ({ tenantServiceAccounts: routes }: Visitor) => {
    const answers = await Promise.allSettled([
      routes.list({ params: { tenantId: owner.tenantId } }),
      routes.get({ params }),
      create({ tenantServiceAccounts: routes }),
      routes.update({ params, body: { name: randomUUID() } }),
      routes.createCredential({ params, body: { name: 'x' } }),
      routes.revokeCredential({ params: { ...params, credentialId: unknownId } }),
      routes.purgeCredential({ params: { ...params, credentialId: unknownId } }),
      routes.delete({ params: paramsOf(unknownId) }),
    ])
    return answers.map((answer) => (answer.status === 'fulfilled' ? 200 : (answer.reason as { status: number }).status))
  }
  const member = (
    permission: 'service-account.read' | 'service-account.write' | 'service-account.rotate-credentials',
  ) => addMember(server, owner.tenantId, [permission])
  const [read, write, rotate] = [
    await member('service-account.read'),
    await member('service-account.write'),
    await member('service-account.rotate-credentials'),
  ]
  expect(await outcomes(read)).toEqual([200, 200, 403, 403, 403, 403, 403, 403])
  expect(await outcomes(write)).toEqual([403, 403, 200, 200, 403, 403, 403, 404])
  expect(await outcomes(rotate)).toEqual([403, 403, 403, 403, 200, 404, 404, 403])
  expect(await outcomes(integrator(server.url, {}))).toEqual(Array(8).fill(401))
  owner = await server.signIn(ada)
})
