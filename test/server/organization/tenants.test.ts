import { describe, expect, test } from 'vitest'
import { enroll } from '../../support/agent.ts'
import { buildAssignment } from '../../support/factories.ts'
import { connectViewer } from '../../support/hub-client.ts'
import { addServerAccount } from '../../support/people.ts'
import { account, integrator, ownerForFile, serverForFile, useTestServer } from '../../support/server.ts'
import { stored } from '../../support/stored.ts'

const unknownId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const zeroId = '00000000-0000-0000-0000-000000000000'

const server = serverForFile({ settings: { AppOptions__EnablePublicRegistration: 'true' } })
const owner = ownerForFile(server)

const create = (name: string) => owner.tenants.create({ body: { name } })
const list = async () => (await owner.tenants.list({})).items

test('a tenant is created, read, renamed and deleted', async () => {
  const response = await owner.fetch('/api/v1/tenants', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"Name":"  Difference Engines "}',
  })
  const created = (await response.json()) as { tenantId: string }
  const { tenantId } = created
  expect([response.status, response.headers.get('location')]).toEqual([201, `/api/v1/tenants/${tenantId}`])
  expect(created).toEqual({ tenantId: expect.any(String), tenantName: 'Difference Engines' })
  const params = { tenantId }
  expect(await owner.tenants.get({ params })).toEqual(created)
  const renamed = { tenantId, tenantName: 'Engines & Co' }
  expect(await owner.tenants.update({ params, body: { name: 'Engines & Co' } })).toEqual(renamed)
  expect(await list()).toContainEqual(renamed)
  await owner.tenants.delete({ params })
  await expect(owner.tenants.get({ params })).rejects.toMatchObject({ status: 404 })
  expect((await list()).map((tenant) => tenant.tenantId)).not.toContain(tenantId)
})

test('the list is sorted by name in any letter case, and names need not be unique', async () => {
  for (const name of ['zeta', 'Beta', 'alpha', 'Beta']) {
    await create(name)
  }
  const names = (await list()).map(({ tenantName }) => tenantName)
  expect(names).toEqual(['alpha', account.organizationName, 'Beta', 'Beta', 'zeta'])
})

describe('rejections', () => {
  test.each([undefined, '', '  ', 'x'.repeat(101)])('the name %j', async (name) => {
    const expected = { status: 400, problem: { errors: { name: expect.any(Array) } } }
    await expect(create(name as string)).rejects.toMatchObject(expected)
    const params = { tenantId: owner.tenantId }
    await expect(owner.tenants.update({ params, body: { name: name as string } })).rejects.toMatchObject(expected)
  })

  test.each([
    [unknownId, 404],
    [zeroId, 400],
  ])('the id %s is %i', async (tenantId, status) => {
    const params = { tenantId }
    const { tenants } = owner
    const calls = [
      () => tenants.get({ params }),
      () => tenants.update({ params, body: { name: 'x' } }),
      () => tenants.delete({ params }),
    ]
    for (const call of calls) {
      await expect(call()).rejects.toMatchObject({ status })
    }
  })

  test('without the permission on the server every tenant is 403, even the caller’s own', async () => {
    const stranger = await server.owner({ email: 'grace@example.org' })
    const { tenants } = stranger
    for (const tenantId of [stranger.tenantId, owner.tenantId]) {
      const params = { tenantId }
      const calls = [
        () => tenants.list({}),
        () => tenants.create({ body: { name: 'mine' } }),
        () => tenants.get({ params }),
        () => tenants.update({ params, body: { name: 'mine' } }),
        () => tenants.delete({ params }),
      ]
      for (const call of calls) {
        await expect(call()).rejects.toMatchObject({ status: 403 })
      }
    }
  })

  test('the own tenant cannot be deleted', async () => {
    const params = { tenantId: owner.tenantId }
    await expect(owner.tenants.delete({ params })).rejects.toMatchObject({
      status: 400,
      problem: { detail: 'You cannot delete the tenant that you belong to.' },
    })
    expect((await owner.auth.me({})).tenantId).toBe(owner.tenantId)
  })
})

describe('deleting a tenant', () => {
  test('deletes everything in it, and closes all its sessions and connections', async () => {
    const guest = await server.owner({ email: 'charles@example.org' })
    const { tenantId } = guest
    const { plainTextToken } = await guest.personalAccessTokens.create({ tenantId, body: { name: 'script' } })
    const account = await guest.tenantServiceAccounts.create({ params: { tenantId }, body: { name: 'robot' } })
    const { plainTextSecretKey } = await guest.tenantServiceAccounts.createCredential({
      params: { tenantId, serviceAccountId: account.id },
      body: { name: 'key' },
    })
    const script = { 'x-personal-token': plainTextToken }
    const robot = { 'x-api-key': plainTextSecretKey }
    const device = await enroll(guest)
    const agent = await device.connect(server.url)
    const viewers = [
      await connectViewer(guest),
      await connectViewer(server.visitor(), { headers: script }),
      await connectViewer(server.visitor(), { headers: robot }),
    ]
    const integration = await addServerAccount(owner)
    const seen = async () => (await integration.devices.list({})).map(({ id }) => id)
    expect(await seen()).toContain(device.id)

    await owner.tenants.delete({ params: { tenantId } })

    await Promise.all([agent.closed, ...viewers.map(({ closed }) => closed)])
    expect(await seen()).not.toContain(device.id)
    await expect(guest.auth.me({})).rejects.toMatchObject({ status: 401 })
    for (const headers of [script, robot]) {
      await expect(integrator(server.url, headers).tags.list({ tenantId, query: {} })).rejects.toMatchObject({
        status: 401,
      })
    }
    await expect(server.signIn({ email: 'charles@example.org' })).rejects.toThrow('was not signed in')
    const counts = ['users', 'devices', 'service_accounts', 'installer_keys'].map(
      (table) => `(SELECT count(*) FROM ${table} WHERE tenantId = '${tenantId}')`,
    )
    const rights = `(SELECT count(*) FROM permission_assignments
      WHERE '${tenantId}' IN (owningTenantId, scopeId) OR principalId = '${guest.user.id}')`
    expect(await stored(server, `SELECT ${[...counts, rights].join(' + ')} AS left`)).toEqual([{ left: 0 }])
  })

  test('is rejected while it has the last users who can administer the server', async () => {
    const own = await useTestServer({ settings: { AppOptions__EnablePublicRegistration: 'true' } })
    const first = await own.owner()
    const second = await own.owner({ email: 'grace@example.org' })
    const right = (permissionName: 'server.tenants.delete' | 'server.permissions.write', isEnabled: boolean) =>
      buildAssignment({ principalId: second.user.id, permissionName, scopeKind: 'Server', scopeId: null, isEnabled })
    const administration = right('server.permissions.write', false)
    await own.write((models, transaction) =>
      models.PermissionAssignment.bulkCreate([right('server.tenants.delete', true), administration], { transaction }),
    )
    const other = await own.signIn({ email: 'grace@example.org' })
    const params = { tenantId: first.tenantId }
    await expect(other.tenants.delete({ params })).rejects.toMatchObject({ status: 409 })
    await own.changeRow('permission_assignments', administration.id, 'isEnabled = TRUE')
    await own.restart()
    await (await own.signIn({ email: 'grace@example.org' })).tenants.delete({ params })
    await expect(own.signIn()).rejects.toThrow('was not signed in')
  })
})
