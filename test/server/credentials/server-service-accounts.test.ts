import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ServerPermission } from '../../../shared/access.ts'
import { manualClock } from '../../support/clock.ts'
import { buildAssignment } from '../../support/factories.ts'
import { isNight } from '../../support/night.ts'
import { addMember, addServerAccount, type Grant } from '../../support/people.ts'
import { account as ada, integrator, serverForFile, useTestServer, type Member } from '../../support/server.ts'
import { changesOf, stored } from '../../support/stored.ts'

const unknownId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const path = '/api/v1/server-service-accounts'
const clock = manualClock(Date.UTC(2026, 0, 2))

const server = serverForFile({ clock })
let owner: Member
beforeAll(async () => {
  owner = await server.owner()
})

const atServer = (permissionName: ServerPermission): Grant => ({
  permissionName,
  scopeKind: 'Server',
  scopeId: null,
})

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

describe('server service accounts', () => {
  test('are created without credentials, at the Location of the answer', async () => {
    const response = await send('POST', path, { name: ' robot ', description: 'Builds', accessMode: 'uNRESTRICTED' })
    expect(response.status).toBe(201)
    const made = (await response.json()) as { id: string }
    expect(made).toEqual({
      id: expect.any(String),
      name: 'robot',
      description: 'Builds',
      isEnabled: true,
      accessMode: 'Unrestricted',
      createdAt: '2026-01-02T00:00:00.000Z',
      credentials: [],
    })
    expect(response.headers.get('location')).toBe(`${path}/${made.id}`)
    expect(await (await owner.fetch(response.headers.get('location')!)).json()).toEqual(made)
    expect(await changesOf(server, made.id)).toEqual([
      {
        action: 'service-account-created',
        actor: owner.user.id,
        before: null,
        after: expect.objectContaining({ name: 'robot', accessMode: 'Unrestricted' }),
      },
    ])
  })

  test('are listed by name with their credentials, oldest first', async () => {
    const [b, a] = [await create(), await create()]
    for (const [account, name] of [
      [b, 'zz list b'],
      [a, 'zz list A'],
    ] as const) {
      await owner.serverServiceAccounts.update({ params: { serviceAccountId: account.id }, body: { name } })
    }
    for (const name of ['first', 'second']) {
      await createCredential(a.id, { name })
      clock.advance(1)
    }
    const { items } = await owner.serverServiceAccounts.list({})
    const listed = items.filter(({ name }) => name.startsWith('zz list'))
    expect(listed.map(({ name, credentials }) => [name, credentials.map((credential) => credential.name)])).toEqual([
      ['zz list A', ['first', 'second']],
      ['zz list b', []],
    ])
  })

  test.each([
    [{ accessMode: 'Restricted' }, 'name'],
    [{ name: '', accessMode: 'Restricted' }, 'name'],
    [{ name: '   ', accessMode: 'Restricted' }, 'name'],
    [{ name: 'x'.repeat(101), accessMode: 'Restricted' }, 'name'],
    [{ name: 'x' }, 'accessMode'],
    [{ name: 'x', accessMode: 'Some' }, 'accessMode'],
    [{ name: 'x', accessMode: 7 }, 'accessMode'],
    [{ name: 'x', accessMode: 'Restricted', description: 'x'.repeat(501) }, 'description'],
  ])('%j is refused for its %s', async (body, field) => {
    const response = await send('POST', path, body)
    expect(response.status).toBe(400)
    expect(Object.keys(((await response.json()) as { errors: object }).errors)).toEqual([field])
  })

  test('take names of 1 to 100 characters, and descriptions of 500', async () => {
    const body = { name: 'n'.repeat(100), description: 'd'.repeat(500), accessMode: 'Restricted' } as const
    expect(await owner.serverServiceAccounts.create({ body })).toMatchObject(body)
    expect((await owner.serverServiceAccounts.create({ body: { name: 'n', accessMode: 'Restricted' } })).name).toBe('n')
  })

  test('have an access mode that is also read by its number', async () => {
    expect(await (await send('POST', path, { name: 'by 0', accessMode: 0 })).json()).toMatchObject({
      accessMode: 'Unrestricted',
    })
    expect(await (await send('POST', path, { name: 'by 1', accessMode: '1' })).json()).toMatchObject({
      accessMode: 'Restricted',
    })
  })

  test('have unique names, compared exactly: a second one is 409', async () => {
    const [one, two] = [await create(), await create()]
    const again = { name: one.name, accessMode: 'Restricted' } as const
    await expect(owner.serverServiceAccounts.create({ body: again })).rejects.toMatchObject({
      status: 409,
      message: 'A server service account with that name already exists.',
    })
    const params = { serviceAccountId: two.id }
    await expect(owner.serverServiceAccounts.update({ params, body: again })).rejects.toMatchObject({ status: 409 })
    const otherCase = { ...again, name: one.name.toUpperCase() }
    expect((await owner.serverServiceAccounts.create({ body: otherCase })).name).toBe(otherCase.name)
    const params1 = { serviceAccountId: one.id }
    expect((await owner.serverServiceAccounts.update({ params: params1, body: again })).name).toBe(one.name)
    const { tenantId } = owner
    await owner.tenantServiceAccounts.create({ params: { tenantId }, body: again })
  })

  test('are changed, except for the access mode, which is ignored', async () => {
    const account = await create()
    const name = randomUUID()
    const response = await send('PUT', `${path}/${account.id}`, {
      name,
      description: 'New',
      isEnabled: false,
      accessMode: 'Unrestricted',
    })
    const changed = { ...account, name, description: 'New', isEnabled: false }
    expect([response.status, await response.json()]).toEqual([200, changed])
    expect(await get(account.id)).toEqual(changed)
    await owner.serverServiceAccounts.update({ params: { serviceAccountId: account.id }, body: { name } })
    expect(await get(account.id)).toEqual({ ...changed, description: null })
    expect((await changesOf(server, account.id)).map(({ action }) => action)).toEqual([
      'service-account-created',
      'service-account-updated',
      'service-account-updated',
    ])
  })

  test('that are disabled cannot authenticate until they are enabled again', async () => {
    const account = await create()
    const params = { serviceAccountId: account.id }
    const { plainTextSecretKey } = await createCredential(account.id, { name: 'key' })
    const switchTo = (isEnabled: boolean) =>
      owner.serverServiceAccounts.update({ params, body: { name: account.name, isEnabled } })
    expect(await opens(plainTextSecretKey)).toBe(true)
    await switchTo(false)
    expect(await opens(plainTextSecretKey)).toBe(false)
    await expect(createCredential(account.id, { name: 'second' })).rejects.toMatchObject({ status: 403 })
    await switchTo(true)
    expect(await opens(plainTextSecretKey)).toBe(true)
  })

  test('are deleted with their credentials and assignments', async () => {
    const account = await create()
    const { plainTextSecretKey, credential } = await createCredential(account.id, { name: 'key' })
    await owner.permissionAssignments.create({
      tenantId: owner.tenantId,
      body: {
        principalKind: 'ServiceAccount',
        principalId: account.id,
        permissionName: 'installer-key.read',
        scopeKind: 'Tenant',
      },
    })
    expect((await send('DELETE', `${path}/${account.id}`)).status).toBe(204)
    expect(await opens(plainTextSecretKey)).toBe(false)
    await expect(get(account.id)).rejects.toMatchObject({ status: 404 })
    expect((await send('DELETE', `${path}/${account.id}`)).status).toBe(404)
    const left = await Promise.all([
      stored(server, 'SELECT id FROM service_account_credentials WHERE id = ?', [credential.id]),
      stored(server, 'SELECT id FROM permission_assignments WHERE principalId = ?', [account.id]),
    ])
    expect(left).toEqual([[], []])
    expect((await changesOf(server, account.id)).at(-1)?.action).toBe('service-account-deleted')
  })

  test('cannot delete themselves', async () => {
    const account = await addServerAccount(owner)
    const { id } = account
    await expect(account.serverServiceAccounts.delete({ params: { serviceAccountId: id } })).rejects.toMatchObject({
      status: 403,
    })
    expect((await get(id)).id).toBe(id)
    const other = await addServerAccount(owner)
    await other.serverServiceAccounts.delete({ params: { serviceAccountId: id } })
  })

  test.each(['get', 'delete'] as const)('%s of an unknown one is 404', async (name) => {
    await expect(owner.serverServiceAccounts[name]({ params: { serviceAccountId: unknownId } })).rejects.toMatchObject({
      status: 404,
    })
  })

  test('do not include the accounts of tenants', async () => {
    const { tenantId } = owner
    const { id } = await owner.tenantServiceAccounts.create({ params: { tenantId }, body: { name: randomUUID() } })
    await expect(get(id)).rejects.toMatchObject({ status: 404 })
    const { items } = await owner.serverServiceAccounts.list({})
    expect(items.map((item) => item.id)).not.toContain(id)
  })
})

describe('rights', () => {
  test('an Unrestricted account also needs server.permissions.write (T04)', async () => {
    const writer = await addMember(server, owner.tenantId, [atServer('server.service-accounts.write')])
    const body = { name: randomUUID(), accessMode: 'Unrestricted' } as const
    await expect(writer.serverServiceAccounts.create({ body })).rejects.toMatchObject({ status: 403 })
    await writer.serverServiceAccounts.create({ body: { ...body, accessMode: 'Restricted' } })
    const ruler = await addMember(server, owner.tenantId, [
      atServer('server.service-accounts.write'),
      atServer('server.permissions.write'),
    ])
    expect((await ruler.serverServiceAccounts.create({ body: { ...body, name: randomUUID() } })).accessMode).toBe(
      'Unrestricted',
    )
  })

  test('each route needs its own permission', async () => {
    const { id: serviceAccountId } = await create()
    const params = { serviceAccountId }
    const credentialParams = { serviceAccountId, credentialId: unknownId }
    const outcomes = async (visitor: Member | ReturnType<typeof integrator>) => {
      const routes = visitor.serverServiceAccounts
      const answers = await Promise.allSettled([
        routes.list({}),
        routes.get({ params }),
        routes.create({ body: { name: randomUUID(), accessMode: 'Restricted' } }),
        routes.update({ params, body: { name: randomUUID() } }),
        routes.createCredential({ params, body: { name: 'x' } }),
        routes.revokeCredential({ params: credentialParams }),
        routes.purgeCredential({ params: credentialParams }),
        routes.delete({ params: { serviceAccountId: unknownId } }),
      ])
      return answers.map((answer) =>
        answer.status === 'fulfilled' ? 200 : (answer.reason as { status: number }).status,
      )
    }
    const member = (permission: ServerPermission) => addMember(server, owner.tenantId, [atServer(permission)])
    const [read, write, rotate] = [
      await member('server.service-accounts.read'),
      await member('server.service-accounts.write'),
      await member('server.service-accounts.rotate-credentials'),
    ]
    expect(await outcomes(read)).toEqual([200, 200, 403, 403, 403, 403, 403, 403])
    expect(await outcomes(write)).toEqual([403, 403, 200, 200, 403, 403, 403, 404])
    expect(await outcomes(rotate)).toEqual([403, 403, 403, 403, 200, 404, 404, 403])
    expect(await outcomes(integrator(server.url, {}))).toEqual(Array(8).fill(401))
    owner = await server.signIn(ada)
    expect(await outcomes(await addServerAccount(owner, 'Restricted'))).toEqual(Array(8).fill(403))
    expect(await outcomes(await addServerAccount(owner))).toEqual([200, 200, 200, 200, 200, 404, 404, 404])
  })
})

describe('the last account that can administer the server', () => {
  /** Starts a server without users: with an unrestricted account, and an account that manages accounts. */
  async function serverWithoutUsers() {
    const own = await useTestServer({ clock })
    const first = await own.owner()
    const root = await addServerAccount(first)
    const keeper = await addServerAccount(first, 'Restricted', [
      { permissionName: 'server.service-accounts.write', scopeKind: 'Server' },
    ])
    await own.whileStopped((database) =>
      database.write((transaction) => database.sequelize.query('DELETE FROM users', { transaction })),
    )
    const id = root.id
    return {
      own,
      root,
      keeper,
      remove: (accountId = id) => keeper.serverServiceAccounts.delete({ params: { serviceAccountId: accountId } }),
      switchTo: (isEnabled: boolean, by = keeper) =>
        by.serverServiceAccounts.update({ params: { serviceAccountId: id }, body: { name: 'root', isEnabled } }),
    }
  }
  const lastOne = { status: 409, problem: { detail: expect.stringContaining('Nobody else could administer') } }

  test('cannot be deleted or disabled, even by itself; any other change is possible', async () => {
    const { root, keeper, remove, switchTo } = await serverWithoutUsers()
    await expect(remove()).rejects.toMatchObject(lastOne)
    await expect(switchTo(false)).rejects.toMatchObject(lastOne)
    await expect(switchTo(false, root)).rejects.toMatchObject(lastOne)
    expect(await switchTo(true)).toMatchObject({ name: 'root', isEnabled: true })
    const body = { name: 'other', accessMode: 'Restricted' } as const
    const other = await root.serverServiceAccounts.create({ body })
    await root.serverServiceAccounts.update({
      params: { serviceAccountId: other.id },
      body: { ...body, isEnabled: false },
    })
    await remove(other.id)
    await root.serverServiceAccounts.delete({ params: { serviceAccountId: keeper.id } })
  })

  test('can be deleted once another one has a valid key', async () => {
    const { own, root, keeper, remove, switchTo } = await serverWithoutUsers()
    const { id } = await root.serverServiceAccounts.create({ body: { name: 'next', accessMode: 'Unrestricted' } })
    await expect(remove()).rejects.toMatchObject(lastOne)
    const params = { serviceAccountId: id }
    const newKey = (body: { name: string; expiresAt?: string }) =>
      root.serverServiceAccounts.createCredential({ params, body })
    const { credential } = await newKey({ name: 'revoked' })
    await root.serverServiceAccounts.revokeCredential({ params: { ...params, credentialId: credential.id } })
    await newKey({ name: 'short', expiresAt: new Date(clock.now() + 60_000).toISOString() })
    clock.advance(60_000)
    await expect(remove()).rejects.toMatchObject(lastOne)
    await expect(switchTo(false)).rejects.toMatchObject(lastOne)
    await newKey({ name: 'lasting', expiresAt: new Date(clock.now() + 60_000).toISOString() })
    await switchTo(false)
    await switchTo(true)
    await remove()
    await expect(keeper.serverServiceAccounts.delete({ params })).rejects.toMatchObject(lastOne)
    expect(await stored(own, 'SELECT id FROM service_accounts WHERE id = ?', [id])).toEqual([{ id }])
  })

  test.runIf(isNight)('may be a restricted one that holds server.permissions.write', async () => {
    const { own, root, keeper, remove } = await serverWithoutUsers()
    await own.changeRow('service_accounts', root.id, `accessMode = 'Restricted'`)
    await remove()
    const giving = { principalId: keeper.id, principalKind: 'ServiceAccount' } as const
    const row = buildAssignment({
      ...giving,
      permissionName: 'server.permissions.write',
      scopeKind: 'Server',
      scopeId: null,
    })
    await own.write((models, transaction) => models.PermissionAssignment.create(row, { transaction }))
    const update = { params: { serviceAccountId: keeper.id }, body: { name: 'keeper', isEnabled: false } }
    await expect(keeper.serverServiceAccounts.update(update)).rejects.toMatchObject(lastOne)
  })
})
