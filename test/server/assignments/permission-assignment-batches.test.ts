import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { permissions, presets } from '../../../shared/access.ts'
import { startRightsScene, type AssignmentBody } from '../../support/rights-scene.ts'
import type { Member } from '../../support/server.ts'

const {
  server,
  owner,
  tenantId,
  giver,
  auditor,
  stranger,
  agent,
  foreignAgent,
  newcomer,
  create,
  listFor,
  rightsOf,
  changesSince,
  countChanges,
} = await startRightsScene()
afterAll(() => server.stop())

describe('several assignments at once', () => {
  const rows = async (count: number) => {
    const person = await newcomer()
    const names = [...permissions.keys()].filter((name) => name.startsWith('device.')).slice(0, count)
    return {
      person,
      assignments: names.map((permissionName) => ({ ...person, permissionName, scopeKind: 'Tenant' as const })),
    }
  }
  const batch = (by: Member, assignments: AssignmentBody[]) =>
    by.permissionAssignments.createBatch({ tenantId, body: { assignments } })

  test('are all created', async () => {
    const { person, assignments } = await rows(3)
    expect(await batch(giver, assignments)).toBeUndefined()
    expect(await rightsOf(person)).toHaveLength(3)
  })

  test.each<[string, (rows: AssignmentBody[]) => AssignmentBody[], number, string | null]>([
    ['one is illegal', ([a, b]) => [a!, { ...b!, permissionName: 'nonsense' }], 400, 'assignments.1.permissionName'],
    [
      'one has a foreign target',
      ([a, b]) => [a!, { ...b!, scopeKind: 'Device', scopeId: foreignAgent.id }],
      400,
      'assignments.1.scopeId',
    ],
    ['they are for two principals', ([a, b]) => [a!, { ...b!, principalId: owner.user.id }], 400, 'assignments'],
    ['there are none', () => [], 400, 'assignments'],
    ['there are 1001', ([a]) => Array.from({ length: 1001 }, () => a!), 400, 'assignments'],
    ['two are the same', ([a]) => [a!, a!], 409, null],
    ['one needs more authority', ([a, b]) => [a!, { ...b!, effect: 'Deny' }], 403, null],
  ])('are not created when %s', async (_, change, status, field) => {
    const { person, assignments } = await rows(2)
    const error = await batch(giver, change(assignments)).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ status, problem: field === null ? {} : { errors: { [field]: expect.any(Array) } } })
    expect(await rightsOf(person)).toEqual([])
  })

  test('are not created when one of them exists', async () => {
    const { person, assignments } = await rows(2)
    await create(giver, assignments[1]!)
    await expect(batch(giver, assignments)).rejects.toMatchObject({ status: 409 })
    expect(await rightsOf(person)).toHaveLength(1)
  })

  test('are deleted; unknown, foreign and protected ones are named', async () => {
    const { person, assignments } = await rows(2)
    await batch(giver, assignments)
    const deny = await create(owner, { ...person, permissionName: 'device.read', scopeKind: 'Tenant', effect: 'Deny' })
    const mine = (await listFor(person)).filter(
      ({ permissionName, effect }) => permissionName.startsWith('device.') && effect === 'Allow',
    )
    const [foreign] = (
      await stranger.permissionAssignments.list({
        tenantId: stranger.tenantId,
        query: { principalKind: 'User', principalId: stranger.user.id },
      })
    ).items
    const unknown = randomUUID()
    const ids = mine.map(({ id }) => id)
    const answer = await giver.permissionAssignments.deleteBatch({
      tenantId,
      body: { assignmentIds: [...ids, ids[0]!, foreign!.id, unknown, deny.id] },
    })
    expect(answer).toEqual({ successIds: ids, failureIds: [foreign!.id, unknown, deny.id] })
    expect(await rightsOf(person)).toEqual(['device.read Deny Tenant'])
    await expect(
      giver.permissionAssignments.deleteBatch({ tenantId, body: { assignmentIds: [] } }),
    ).rejects.toMatchObject({
      status: 400,
    })
  })
})

describe('replacing the assignments', () => {
  const replace = (by: Member, principal: { principalKind: 'User'; principalId: string }, assignments: object[]) =>
    by.permissionAssignments.replace({ tenantId, body: { ...principal, assignments: assignments as never } })

  test('changes only the scope kinds of the new ones, and keeps equal ones', async () => {
    const person = await newcomer()
    const kept = await create(giver, { ...person, permissionName: 'device.read', scopeKind: 'Tenant', notes: 'kept' })
    const onDevice = await create(giver, {
      ...person,
      permissionName: 'device.read',
      scopeKind: 'Device',
      scopeId: agent.id,
    })
    await create(giver, { ...person, permissionName: 'device.delete', scopeKind: 'Tenant' })
    const changes = await countChanges()
    await replace(giver, person, [
      { permissionName: 'device.read', scopeKind: 'Tenant', notes: 'kept' },
      { permissionName: 'device.wake.send', scopeKind: 'Tenant' },
    ])
    const after = await listFor(person)
    expect(after).toHaveLength(3)
    expect(after).toEqual(expect.arrayContaining([kept, onDevice]))
    expect(await rightsOf(person)).toContain('device.wake.send Allow Tenant')
    const actions = (await changesSince(changes)).map(({ actionType }) => actionType)
    // Two rows of Self Service and the right to delete were removed, and a row was added.
    expect(actions.toSorted()).toEqual([
      'permission-assignment-created',
      ...Array.from({ length: 3 }, () => 'permission-assignment-deleted'),
    ])
  })

  test('updates assignments that differ only in notes or state', async () => {
    const person = await newcomer()
    const row = await create(giver, {
      ...person,
      permissionName: 'device.read',
      scopeKind: 'Device',
      scopeId: agent.id,
    })
    await replace(giver, person, [
      { permissionName: 'device.read', scopeKind: 'Device', scopeId: agent.id, isEnabled: false },
    ])
    expect(await listFor(person)).toContainEqual({ ...row, isEnabled: false })
  })

  test('needs the permission to deny when a deny would be removed; nothing changes without it', async () => {
    const person = await newcomer()
    await create(owner, {
      ...person,
      permissionName: 'device.read',
      scopeKind: 'Device',
      scopeId: agent.id,
      effect: 'Deny',
    })
    const rows = [{ permissionName: 'device.delete', scopeKind: 'Device', scopeId: agent.id }]
    await expect(replace(giver, person, rows)).rejects.toMatchObject({ status: 403 })
    expect(await rightsOf(person)).toEqual(['device.read Deny Device'])
    await replace(owner, person, rows)
    expect(await rightsOf(person)).toEqual(['device.delete Allow Device'])
  })

  test('is 400 with an empty list, and 409 with a duplicate', async () => {
    const person = await newcomer()
    const row = { permissionName: 'device.read', scopeKind: 'Tenant' }
    await expect(replace(giver, person, [])).rejects.toMatchObject({ status: 400 })
    await expect(replace(giver, person, [row, row])).rejects.toMatchObject({ status: 409 })
    expect(await rightsOf(person)).toEqual([])
  })
})

describe('presets', () => {
  const apply = (by: Member, body: object) => by.permissionAssignments.applyPresets({ tenantId, body: body as never })

  test('give each permission once, at its broadest scope, and count the new ones', async () => {
    const person = await newcomer()
    const body = { ...person, presetNames: ['agent installer', 'Installer Key Manager'] }
    expect(await apply(giver, body)).toBe(3)
    expect(await rightsOf(person)).toEqual([
      'agent.install Allow Tenant',
      'installer-key.read Allow Tenant',
      'installer-key.write Allow Tenant',
    ])
    expect(await apply(giver, body)).toBe(0)
  })

  test('with rights on the server, or with the right to deny, need the same permissions', async () => {
    const person = await newcomer()
    for (const name of ['Server Administrator', 'Tenant Administrator']) {
      await expect(apply(giver, { ...person, presetNames: [name] })).rejects.toMatchObject({ status: 403 })
    }
    expect(await rightsOf(person)).toEqual([])
    expect(await apply(owner, { ...person, presetNames: Object.keys(presets) })).toBe(permissions.size - 2)
    const all = await listFor(person)
    expect(all.map(({ permissionName }) => permissionName).toSorted()).toEqual([...permissions.keys()].toSorted())
    expect(all.filter(({ scopeKind }) => scopeKind === 'Server')).toHaveLength(
      presets['Server Administrator'].length - 2,
    )
  })

  test('can replace the assignments at the same scopes', async () => {
    const person = await newcomer()
    await create(giver, { ...person, permissionName: 'device.delete', scopeKind: 'Tenant' })
    await create(giver, { ...person, permissionName: 'device.delete', scopeKind: 'Device', scopeId: agent.id })
    expect(await apply(giver, { ...person, presetNames: ['Service Account Manager'], replaceExisting: true })).toBe(3)
    expect((await listFor(person)).map(({ permissionName }) => permissionName)).toEqual([
      'device.delete',
      ...presets['Service Account Manager'].toSorted(),
    ])
  })

  test('are 400 when unknown or missing', async () => {
    const person = await newcomer()
    for (const presetNames of [[], ['Root']]) {
      await expect(apply(owner, { ...person, presetNames })).rejects.toMatchObject({ status: 400 })
    }
  })

  test('are listed with their permissions', async () => {
    const { items } = await auditor.permissionAssignments.presets({ tenantId })
    expect(Object.fromEntries(items.map(({ name, permissions: held }) => [name, held]))).toEqual(
      Object.fromEntries(Object.entries(presets).map(([name, held]) => [name, held.toSorted()])),
    )
    expect(items.map(({ name }) => name)).toEqual(Object.keys(presets).toSorted())
  })
})
