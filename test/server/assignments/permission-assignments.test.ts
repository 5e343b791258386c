import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { permissions } from '../../../shared/access.ts'
import { addMember } from '../../support/people.ts'
import { startRightsScene, type AssignmentBody } from '../../support/rights-scene.ts'

const {
  server,
  owner,
  tenantId,
  giver,
  auditor,
  stranger,
  agent,
  foreignAgent,
  tenantAccount,
  things,
  newcomer,
  create,
  listFor,
  rightsOf,
  changesSince,
  countChanges,
} = await startRightsScene()
afterAll(() => server.stop())

describe('creating an assignment', () => {
  test('answers it with the location of the list, which has it', async () => {
    const person = await newcomer()
    const response = await giver.fetch(`/api/v1/permission-assignments?tenantId=${tenantId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        PrincipalKind: 'user',
        principalId: person.principalId.toUpperCase(),
        permissionName: 'device.read',
        scopeKind: 5,
        scopeId: agent.id,
        notes: ' for the audit ',
        somethingElse: true,
      }),
    })
    expect(response.status).toBe(201)
    const location = response.headers.get('location')!
    expect(location).toMatch(new RegExp(`^/api/v1/permission-assignments\\?tenantId=${tenantId}&`))
    const row = await response.json()
    expect(row).toEqual({
      id: expect.any(String),
      ...person,
      permissionName: 'device.read',
      effect: 'Allow',
      scopeKind: 'Device',
      scopeId: agent.id,
      notes: 'for the audit',
      isEnabled: true,
      createdAt: expect.stringMatching(/Z$/),
    })
    expect(await (await giver.fetch(location)).json()).toEqual({ items: await listFor(person, giver) })
    expect(await listFor(person, giver)).toContainEqual(row)
  })

  test.each<[string, () => Partial<AssignmentBody>, string | null]>([
    ['the tenant, which is filled in', () => ({ scopeKind: 'Tenant' }), 'tenant'],
    ['the tenant by its id', () => ({ scopeKind: 'Tenant', scopeId: tenantId }), 'tenant'],
    ['a customer', () => ({ scopeKind: 'CustomerTenant', scopeId: things.customer }), 'customer'],
    [
      'a customer in the short spelling',
      () => ({ scopeKind: 'customer' as never, scopeId: things.customer }),
      'customer',
    ],
    ['a device group', () => ({ scopeKind: 'DeviceGroup', scopeId: things.deviceGroup }), 'deviceGroup'],
    [
      'a user group',
      () => ({ permissionName: 'user-group.assign-users', scopeKind: 'UserGroup', scopeId: things.userGroup }),
      'userGroup',
    ],
    ['a tenant permission', () => ({ permissionName: 'tenant.users.read', scopeKind: 'Tenant' }), 'tenant'],
  ])('works at %s', async (_, changes, thing) => {
    const person = await newcomer()
    const row = await create(giver, { ...person, permissionName: 'device.read', scopeKind: 'Tenant', ...changes() })
    expect(row.scopeId).toBe(thing === 'tenant' ? tenantId : things[thing as keyof typeof things])
  })

  test.each<[string, () => { principalKind: string; principalId: string }]>([
    ['a user group', () => ({ principalKind: 'UserGroup', principalId: things.userGroup })],
    ['a service account of the tenant', () => ({ principalKind: 'ServiceAccount', principalId: tenantAccount.id })],
  ])('works for %s', async (_, principal) => {
    const row = await create(giver, { ...principal(), permissionName: 'device.logs.read', scopeKind: 'Tenant' })
    expect(await listFor(principal())).toContainEqual(row)
  })

  test.each<[string, () => Partial<AssignmentBody>, string]>([
    ['an unknown permission', () => ({ permissionName: 'device.everything' }), 'permissionName'],
    ['no permission', () => ({ permissionName: ' ' }), 'permissionName'],
    ['a permission of 151 characters', () => ({ permissionName: 'x'.repeat(151) }), 'permissionName'],
    ['a tenant permission on a device', () => ({ permissionName: 'tenant.users.read' }), 'scopeKind'],
    [
      'a server permission at the tenant',
      () => ({ permissionName: 'server.tenants.read', scopeKind: 'Tenant' }),
      'scopeKind',
    ],
    ['a device permission at a user group', () => ({ scopeKind: 'UserGroup', scopeId: things.userGroup }), 'scopeKind'],
    ['a device permission at the server', () => ({ scopeKind: 'Server', scopeId: null }), 'scopeKind'],
    ['the scope kind Unknown', () => ({ scopeKind: 'Unknown' as never }), 'scopeKind'],
    ['a device without its id', () => ({ scopeId: null }), 'scopeId'],
    ['an id at the server', () => ({ permissionName: 'server.tenants.read', scopeKind: 'Server' }), 'scopeId'],
    ['another tenant', () => ({ scopeKind: 'Tenant', scopeId: stranger.tenantId }), 'scopeId'],
    ['a device of another tenant', () => ({ scopeId: foreignAgent.id }), 'scopeId'],
    ['a device that is unknown', () => ({ scopeId: randomUUID() }), 'scopeId'],
    [
      'a customer of another tenant',
      () => ({ scopeKind: 'CustomerTenant', scopeId: things.foreignCustomer }),
      'scopeId',
    ],
    ['a customer as a device group', () => ({ scopeKind: 'DeviceGroup', scopeId: things.customer }), 'scopeId'],
    ['notes of 501 characters', () => ({ notes: 'x'.repeat(501) }), 'notes'],
    ['an unknown effect', () => ({ effect: 'Perhaps' as never }), 'effect'],
    ['an unknown principal', () => ({ principalId: randomUUID() }), 'principalId'],
    ['a user of another tenant', () => ({ principalId: stranger.user.id }), 'principalId'],
    ['a user as a group', () => ({ principalKind: 'UserGroup' }), 'principalId'],
    ['an unknown kind of principal', () => ({ principalKind: 'Robot' as never }), 'principalKind'],
  ])('is 400 for %s', async (_, changes, field) => {
    const person = await newcomer()
    const body: AssignmentBody = {
      ...person,
      permissionName: 'device.read',
      scopeKind: 'Device',
      scopeId: agent.id,
      ...changes(),
    }
    const error = await create(owner, body).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ status: 400, problem: { errors: { [field]: [expect.any(String)] } } })
    expect(await rightsOf(person)).toEqual([])
  })

  test('is 409 for an existing one, enabled or not', async () => {
    const person = await newcomer()
    const body: AssignmentBody = { ...person, permissionName: 'device.read', scopeKind: 'Tenant', isEnabled: false }
    await create(giver, body)
    await expect(create(giver, { ...body, isEnabled: true, notes: 'again' })).rejects.toMatchObject({ status: 409 })
  })

  test('needs the permission to give rights in that tenant', async () => {
    const person = await newcomer()
    const body: AssignmentBody = { ...person, permissionName: 'device.read', scopeKind: 'Tenant' }
    await expect(create(auditor, body)).rejects.toMatchObject({ status: 403 })
    await expect(create(stranger, body)).rejects.toMatchObject({ status: 403 })
    await expect(stranger.permissionAssignments.create({ tenantId: stranger.tenantId, body })).rejects.toMatchObject({
      status: 400,
    })
    expect(await rightsOf(person)).toEqual([])
  })
})

describe('the list', () => {
  test('is ordered by name and scope', async () => {
    const person = await newcomer()
    for (const scope of [
      { scopeKind: 'Device', scopeId: agent.id },
      { scopeKind: 'Tenant' },
      { scopeKind: 'CustomerTenant', scopeId: things.customer },
    ] as const) {
      await create(giver, { ...person, permissionName: 'device.read', ...scope })
    }
    await create(giver, { ...person, permissionName: 'agent.install', scopeKind: 'Tenant' })
    expect(await rightsOf(person)).toEqual([
      'agent.install Allow Tenant',
      'device.read Allow Tenant',
      'device.read Allow CustomerTenant',
      'device.read Allow Device',
    ])
  })

  test('is 404 for a principal that is unknown or of another tenant, and 400 without one', async () => {
    for (const principalId of [randomUUID(), stranger.user.id]) {
      await expect(listFor({ principalKind: 'User', principalId })).rejects.toMatchObject({ status: 404 })
    }
    const response = await owner.fetch(`/api/v1/permission-assignments?tenantId=${tenantId}`)
    expect(response.status).toBe(400)
    expect(Object.keys(((await response.json()) as { errors: object }).errors).toSorted()).toEqual([
      'principalId',
      'principalKind',
    ])
  })
})

describe('changing and deleting', () => {
  test('keeps the id, the principal and the time of the assignment', async () => {
    const row = await create(giver, { ...(await newcomer()), permissionName: 'device.read', scopeKind: 'Tenant' })
    const body = {
      permissionName: 'device.delete',
      scopeKind: 'Device',
      scopeId: agent.id,
      notes: 'changed',
      isEnabled: false,
      principalId: owner.user.id,
    } as const
    const changed = await giver.permissionAssignments.update({ tenantId, params: { assignmentId: row.id }, body })
    expect(changed).toEqual({ ...row, ...body, principalId: row.principalId })
  })

  test('to equal another assignment is 409; to equal itself succeeds', async () => {
    const person = await newcomer()
    const at = { scopeKind: 'Tenant' } as const
    const first = await create(giver, { ...person, permissionName: 'device.read', ...at })
    await create(giver, { ...person, permissionName: 'device.delete', ...at })
    const update = (permissionName: string) =>
      giver.permissionAssignments.update({
        tenantId,
        params: { assignmentId: first.id },
        body: { permissionName, ...at },
      })
    await expect(update('device.delete')).rejects.toMatchObject({ status: 409 })
    expect(await update('device.read')).toEqual(first)
  })

  test('is 404 for an unknown assignment and one of another tenant', async () => {
    const row = await create(giver, { ...(await newcomer()), permissionName: 'device.read', scopeKind: 'Tenant' })
    const body = { permissionName: 'device.read', scopeKind: 'Tenant' } as const
    for (const [by, assignmentId] of [
      [giver, randomUUID()],
      [stranger, row.id],
    ] as const) {
      const params = { assignmentId }
      await expect(by.permissionAssignments.update({ tenantId: by.tenantId, params, body })).rejects.toMatchObject({
        status: 404,
      })
      await expect(by.permissionAssignments.delete({ tenantId: by.tenantId, params })).rejects.toMatchObject({
        status: 404,
      })
    }
  })

  test('removes a deleted assignment from the list', async () => {
    const row = await create(giver, { ...(await newcomer()), permissionName: 'device.read', scopeKind: 'Tenant' })
    const params = { assignmentId: row.id }
    expect(await giver.permissionAssignments.delete({ tenantId, params })).toBeUndefined()
    await expect(giver.permissionAssignments.delete({ tenantId, params })).rejects.toMatchObject({ status: 404 })
  })
})

describe('the log', () => {
  test('records the actor, the change, and the state before and after', async () => {
    const person = await newcomer()
    const before = await countChanges()
    const row = await create(giver, { ...person, permissionName: 'device.read', scopeKind: 'Tenant' })
    const params = { assignmentId: row.id }
    const body = { permissionName: 'device.read', scopeKind: 'Tenant', isEnabled: false } as const
    await giver.permissionAssignments.update({ tenantId, params, body })
    await giver.permissionAssignments.delete({ tenantId, params })
    const entries = await changesSince(before)
    const state = (json: string | null) => (json === null ? null : (JSON.parse(json) as object))
    expect(entries.map((entry) => [entry.actionType, state(entry.beforeJson), state(entry.afterJson)])).toEqual([
      ['permission-assignment-deleted', expect.objectContaining({ ...row, isEnabled: false }), null],
      [
        'permission-assignment-updated',
        expect.objectContaining(row),
        expect.objectContaining({ ...row, isEnabled: false }),
      ],
      ['permission-assignment-created', null, expect.objectContaining(row)],
    ])
    for (const entry of entries) {
      expect(entry).toMatchObject({
        actorPrincipalType: 'user',
        actorPrincipalId: giver.user.id,
        targetType: 'PermissionAssignment',
        targetId: row.id,
        owningTenantId: tenantId,
        ipAddress: '127.0.0.1',
      })
    }
  })

  test('does not record refused changes', async () => {
    const person = await newcomer()
    const before = await countChanges()
    const good: AssignmentBody = { ...person, permissionName: 'device.read', scopeKind: 'Tenant' }
    await giver.permissionAssignments.createBatch({ tenantId, body: { assignments: [good, good] } }).catch(() => {})
    await create(giver, { ...good, effect: 'Deny' }).catch(() => {})
    expect(await changesSince(before)).toEqual([])
  })
})

test('the catalog explains every permission', async () => {
  const { items } = await auditor.permissionAssignments.catalog({ tenantId })
  expect(items.map(({ name, allowedScopeKinds }) => [name, allowedScopeKinds])).toEqual(
    [...permissions].toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
  expect(items.filter((item) => !item.displayName || !item.categoryLabel || !item.description.endsWith('.'))).toEqual(
    [],
  )
  expect(new Set(items.map(({ displayName }) => displayName)).size).toBe(items.length)
  expect(items.filter(({ selfRemovable }) => !selfRemovable).map(({ name }) => name)).toEqual([
    'server.permissions.write',
    'tenant.permissions.deny',
    'tenant.permissions.write',
  ])
})

test('a given right counts from the next request on, and a removed one no longer', async () => {
  const member = await addMember(server, tenantId, [])
  const see = () => member.devices.get({ params: { deviceId: agent.id } })
  await expect(see()).rejects.toMatchObject({ status: 404 })
  const row = await create(giver, {
    principalKind: 'User',
    principalId: member.user.id,
    permissionName: 'device.read',
    scopeKind: 'Device',
    scopeId: agent.id,
  })
  expect((await see()).id).toBe(agent.id)
  await giver.permissionAssignments.delete({ tenantId, params: { assignmentId: row.id } })
  await expect(see()).rejects.toMatchObject({ status: 404 })
})
