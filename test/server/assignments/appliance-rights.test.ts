import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { GrantRightsDto } from '../../../shared/api/appliance-rights.ts'
import { roles } from '../../../shared/roles.ts'
import { enroll, type TestAgent } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { addMember, addUser } from '../../support/people.ts'
import { serverForFile, type Member } from '../../support/server.ts'

const hourMs = 60 * 60_000
const clock = manualClock(Date.parse('2026-01-02T03:04:05.000Z'))
const server = serverForFile({ clock, settings: { AppOptions__EnablePublicRegistration: 'true' } })

let owner: Member
/** Reads and writes rights, without the rights to read names or to deny. */
let giver: Member
let helper: Member
let stranger: Member
let agent: TestAgent
let other: TestAgent
let tenantId: string
let customerId: string
beforeAll(async () => {
  ;({ tenantId } = await server.owner())
  giver = await addMember(server, tenantId, ['tenant.permissions.read', 'tenant.permissions.write'])
  owner = await server.signIn()
  helper = await addUser(server, owner)
  stranger = await server.owner({ email: 'eve@example.org' })
  agent = await enroll(owner)
  other = await enroll(owner)
  customerId = (await owner.customers.create({ tenantId, body: { name: 'Bakery' } })).id
  const body = { deviceIds: [agent.id], removeDeviceIds: [] }
  await owner.customers.assignDevices({ tenantId, params: { customerId }, body })
})

const ofUser = (member: Member) => ({ principalKind: 'User', principalId: member.user.id }) as const
const atBakery = () => ({ scopeKind: 'CustomerTenant', scopeId: customerId }) as const
type Body = Partial<Parameters<Member['applianceRights']['grant']>[0]['body']>

const grant = async (to: Member, changes: Body, by = owner) =>
  (
    await by.applianceRights.grant({
      tenantId,
      body: { principals: [ofUser(to)], scopes: [atBakery()], ...changes } as GrantRightsDto,
    })
  ).assignmentIds

const listed = (query: object, by = owner) => by.applianceRights.list({ tenantId, query })
const check = (member: Member, permissionName: string, scope: object, by = owner) =>
  by.applianceRights.check({ tenantId, query: { ...ofUser(member), permissionName, ...scope } })
const onDevice = ({ id }: TestAgent) => ({ scopeKind: 'Device', scopeId: id })
const inHours = (hours: number) => new Date(clock.now() + hours * hourMs).toISOString()

describe('a role given at a customer', () => {
  test('reaches its devices only, is listed as one item, and is taken back by the ids that were answered', async () => {
    const person = await addUser(server, owner)
    const ids = await grant(person, { role: 'Technician' })
    expect(ids).toHaveLength(roles.Technician.permissions.length)
    expect((await person.devices.get({ params: { deviceId: agent.id } })).id).toBe(agent.id)
    await expect(person.devices.get({ params: { deviceId: other.id } })).rejects.toMatchObject({ status: 404 })
    const { items } = await listed({ principalId: person.user.id, scopeKind: 'CustomerTenant' })
    expect(items).toMatchObject([
      {
        principal: { kind: 'User', id: person.user.id, name: person.user.userName },
        scope: { kind: 'CustomerTenant', id: customerId, name: 'Bakery' },
        effect: 'Allow',
        isEnabled: true,
        endsAt: null,
        hasEnded: false,
        roles: ['Technician'],
        beyond: [],
      },
    ])
    expect(await grant(person, { role: 'Reader' })).toEqual([])
    const twice = [{ scopeKind: 'Tenant' as const }, { scopeKind: 'Tenant' as const, scopeId: tenantId }]
    expect(
      await grant(person, { role: 'Agent Installer', permissions: ['agent.install'], scopes: twice }),
    ).toHaveLength(3)
    await owner.permissionAssignments.deleteBatch({ tenantId, body: { assignmentIds: ids } })
    await expect(person.devices.get({ params: { deviceId: agent.id } })).rejects.toMatchObject({ status: 404 })
  })

  test('needs authority: no rights 403, a denial needs the right to deny, unknown things 400, nothing is stored', async () => {
    const { totalItems } = await owner.authorizationChangeLogs.list({ tenantId, query: {} })
    const wrong: [Member, Body, number][] = [
      [helper, { role: 'Reader' }, 403],
      [giver, { role: 'Reader', effect: 'Deny' }, 403],
      [giver, { role: 'Server Administrator', scopes: [{ scopeKind: 'Tenant' }] }, 403],
      [owner, { role: 'Tenant Administrator' }, 400],
      [owner, { role: 'Reader', scopes: [{ scopeKind: 'CustomerTenant', scopeId: randomUUID() }] }, 400],
      [owner, { role: 'Reader', scopes: [atBakery(), { scopeKind: 'Device', scopeId: randomUUID() }] }, 400],
      [owner, { role: 'Reader', endsAt: inHours(-1) }, 400],
      [owner, { role: 'Reader', permissions: ['device.nothing'] }, 400],
      [owner, {}, 400],
      [owner, { permissions: ['device.nothing'] }, 400],
    ]
    for (const [by, body, status] of wrong) {
      await expect(grant(helper, body, by), JSON.stringify(body)).rejects.toMatchObject({ status })
    }
    expect((await owner.authorizationChangeLogs.list({ tenantId, query: {} })).totalItems).toBe(totalItems)
  })
})

describe('an assignment with an end', () => {
  test('stops counting at that moment, keeps its row, and can be prolonged', async () => {
    const person = await addUser(server, owner)
    const read = () => person.devices.get({ params: { deviceId: agent.id } })
    const ids = await grant(person, { role: 'Reader', endsAt: inHours(1) })
    expect((await read()).id).toBe(agent.id)
    clock.advance(hourMs - 1)
    expect((await read()).id).toBe(agent.id)
    clock.advance(1)
    await expect(read()).rejects.toMatchObject({ status: 404 })
    expect((await check(person, 'device.read', onDevice(agent))).rules).toMatchObject([{ verdict: 'ended' }])
    expect((await listed({ principalId: person.user.id, state: 'ended' })).items).toMatchObject([{ hasEnded: true }])
    const { items } = await owner.permissionAssignments.list({ tenantId, query: ofUser(person) })
    expect(items.filter(({ id }) => ids.includes(id)).map((row) => Object.keys(row).toSorted())).toEqual(
      ids.map(() =>
        [
          'id',
          'principalKind',
          'principalId',
          'permissionName',
          'effect',
          'scopeKind',
          'scopeId',
          'notes',
          'isEnabled',
          'createdAt',
        ].toSorted(),
      ),
    )
    await owner.applianceRights.change({ tenantId, body: { assignmentIds: ids, endsAt: inHours(1) } })
    expect((await read()).id).toBe(agent.id)
    await owner.applianceRights.change({ tenantId, body: { assignmentIds: ids, isEnabled: false } })
    await expect(read()).rejects.toMatchObject({ status: 404 })
    await owner.applianceRights.change({ tenantId, body: { assignmentIds: ids, isEnabled: true, endsAt: null } })
    clock.advance(2 * hourMs)
    expect((await read()).id).toBe(agent.id)
  })

  test('that has ended is replaced when the same is given again, and an ended denial denies nothing', async () => {
    const person = await addUser(server, owner)
    const read = () => person.devices.get({ params: { deviceId: agent.id } })
    await grant(person, { role: 'Reader', endsAt: inHours(1) })
    await grant(person, { role: 'Reader', effect: 'Deny', endsAt: inHours(2) })
    await expect(read()).rejects.toMatchObject({ status: 404 })
    clock.advance(3 * hourMs)
    await expect(read()).rejects.toMatchObject({ status: 404 })
    expect(await grant(person, { role: 'Reader' })).toHaveLength(2)
    expect((await read()).id).toBe(agent.id)
  })

  test("does not count for the last administrator, and cannot be set on one's own authority", async () => {
    const [own] = (await owner.permissionAssignments.list({ tenantId, query: ofUser(owner) })).items.filter(
      ({ permissionName }) => permissionName === 'tenant.permissions.write',
    )
    const end = { assignmentIds: [own!.id], endsAt: inHours(1) }
    await expect(owner.applianceRights.change({ tenantId, body: end })).rejects.toMatchObject({ status: 400 })
    const second = await addUser(server, owner)
    const scopes = [{ scopeKind: 'Tenant' as const }]
    await grant(second, { role: 'Tenant Administrator', scopes, endsAt: inHours(1) })
    const mine = (await stranger.permissionAssignments.list({ tenantId: stranger.tenantId, query: ofUser(stranger) }))
      .items
    const foreign = { assignmentIds: [mine[0]!.id], isEnabled: false }
    await expect(owner.applianceRights.change({ tenantId, body: foreign })).rejects.toMatchObject({ status: 404 })
    clock.advance(2 * hourMs)
    await expect(second.applianceRights.list({ tenantId, query: {} })).rejects.toMatchObject({ status: 403 })
  })
})

test('roles have the same names in assignments, in People, for a group and in a check', async () => {
  const person = await addUser(server, owner)
  const tenantWide = { scopes: [{ scopeKind: 'Tenant' as const }] }
  await grant(person, { role: 'Technician', permissions: ['device.delete'] })
  await grant(person, { role: 'Helper', ...tenantWide })
  const auditing = ['tenant.permissions.read', 'tenant.authorization-logs.read'] as const
  await grant(person, { permissions: [...auditing], ...tenantWide })
  const atTenant = { roles: ['Helper', 'Self Service'], beyond: auditing.toSorted() }
  const atCustomer = { roles: ['Technician'], beyond: ['device.delete'] }
  const { items } = await listed({ principalId: person.user.id })
  expect(items).toMatchObject([
    { scope: { kind: 'CustomerTenant' }, ...atCustomer },
    { scope: { kind: 'Tenant' }, roles: atTenant.roles, beyond: expect.arrayContaining(atTenant.beyond) },
  ])
  const seen = await owner.appliancePeople.get({ tenantId, params: { userId: person.user.id } })
  expect(seen.summary).toMatchObject([
    { roles: atTenant.roles, places: null },
    { ...atCustomer, places: 1 },
  ])
  expect(seen.rights).toEqual(
    expect.arrayContaining([expect.objectContaining(atCustomer), expect.objectContaining({ roles: atTenant.roles })]),
  )
  expect(await check(person, 'device.terminal.use', onDevice(agent))).toMatchObject({
    isAllowed: true,
    reason: '“Use a terminal” is given by the role Technician at the customer “Bakery”, and nothing denies it.',
    rules: [{ role: 'Technician' }],
  })
  expect(await check(person, 'device.delete', onDevice(agent))).toMatchObject({ rules: [{ role: null }] })
  expect((await listed({ principalId: person.user.id, role: 'Server Administrator' })).items).toEqual([])
})

describe('a check', () => {
  test('names the deciding rules, denials first, each with the group that it is held through', async () => {
    const person = await addUser(server, owner)
    const group = await owner.userGroups.create({ tenantId, body: { name: 'Interns' } })
    await owner.userGroups.addMembers({
      tenantId,
      params: { userGroupId: group.id },
      body: { userIds: [person.user.id] },
    })
    await grant(person, { permissions: ['device.read'], scopes: [{ scopeKind: 'Tenant' }] })
    expect(await check(person, 'device.read', onDevice(agent))).toMatchObject({
      isAllowed: true,
      rules: [{ effect: 'Allow', verdict: 'decides', through: null }],
    })
    await owner.applianceRights.grant({
      tenantId,
      body: {
        principals: [{ principalKind: 'UserGroup', principalId: group.id }],
        permissions: ['device.read'],
        effect: 'Deny',
        scopes: [atBakery()],
      },
    })
    expect(await check(person, 'device.read', onDevice(agent))).toMatchObject({
      isAllowed: false,
      reason:
        '“See devices” is denied at the customer “Bakery”, through the user group “Interns”. A denial overrides every allow.',
      rules: [
        { effect: 'Deny', verdict: 'decides', scope: { name: 'Bakery' }, through: { name: 'Interns' } },
        { effect: 'Allow', verdict: 'overridden' },
      ],
      moreRules: 0,
    })
    expect(await check(person, 'device.read', onDevice(other))).toMatchObject({ isAllowed: true })
  })

  test('hides names that the caller may not read, also from the route of the interface', async () => {
    const person = await addUser(server, owner)
    await grant(person, { role: 'Reader', effect: 'Deny' })
    const hidden = await check(person, 'device.read', onDevice(agent), giver)
    expect(hidden).toMatchObject({
      reason: expect.stringContaining('a customer that you cannot see'),
      principal: { name: null },
      scope: { name: null },
      rules: [{ scope: { id: customerId, name: null } }],
    })
    const params = { principalId: person.user.id }
    const query = { principalKind: 'User', permissionName: 'device.read', ...onDevice(agent) } as never
    const { denyReason } = await giver.effectivePermissions.get({ tenantId, params, query })
    expect(denyReason).not.toContain('Bakery')
    expect((await listed({ principalId: person.user.id }, giver)).items.map(({ scope }) => scope.name)).not.toContain(
      'Bakery',
    )
    expect(
      (await giver.applianceRights.find({ tenantId, query: { kind: 'CustomerTenant', text: 'Bak' } })).items,
    ).toEqual([])
    const ids = [customerId, person.user.id, agent.id, giver.user.id]
    expect((await giver.applianceRights.names({ tenantId, body: { ids } })).items.map(({ id }) => id)).toEqual([
      giver.user.id,
    ])
  })

  test('answers 403 without the right to read rights, 404 for a foreign person, and caps its rules', async () => {
    await expect(check(owner, 'device.read', {}, helper)).rejects.toMatchObject({ status: 403 })
    await expect(check(stranger, 'device.read', {})).rejects.toMatchObject({ status: 404 })
    const customers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        owner.customers.create({ tenantId, body: { name: `Customer ${index}` } }),
      ),
    )
    const person = await addUser(server, owner)
    await grant(person, {
      permissions: ['device.read'],
      scopes: customers.map(({ id }) => ({ scopeKind: 'CustomerTenant' as const, scopeId: id })),
    })
    const { rules, moreRules } = await check(person, 'device.read', onDevice(agent))
    expect([rules.length, moreRules]).toEqual([20, 10])
  })
})

test('the list hides rows at the server from readers of a tenant, and filters by device, role and text', async () => {
  const ofServer = { principalId: owner.user.id, scopeKind: 'Server' }
  expect((await listed(ofServer)).items).toMatchObject([{ roles: ['Server Administrator'], beyond: [] }])
  expect((await listed(ofServer, giver)).items).toEqual([])
  const person = await addUser(server, owner)
  await grant(person, { role: 'Helper' })
  const found = async (query: object) =>
    (await listed({ principalId: person.user.id, scopeKind: 'CustomerTenant', ...query })).totalItems
  expect(await found({ deviceId: agent.id })).toBe(1)
  expect(await found({ deviceId: other.id })).toBe(0)
  expect(await found({ role: 'Helper' })).toBe(1)
  expect(await found({ role: 'Technician' })).toBe(0)
  expect(await found({ text: 'bakery' })).toBe(1)
  expect(await found({ text: 'nothing like it' })).toBe(0)
  expect(await owner.applianceRights.scope({ tenantId, query: atBakery() })).toMatchObject({ count: 1 })
  expect(await giver.applianceRights.scope({ tenantId, query: atBakery() })).toEqual({ count: 0, online: 0, names: [] })
})

test('the tenant may be left out by a caller that has one', async () => {
  const { totalItems } = await listed({})
  expect((await owner.applianceRights.list({ query: {} })).totalItems).toBe(totalItems)
  await expect(helper.applianceRights.list({ query: {} })).rejects.toMatchObject({ status: 403 })
})

describe('the export of changes', () => {
  const file = (by: Member) => by.fetch(`/api/appliance/v1/rights/changes/export?tenantId=${tenantId}`)

  test('is CSV with names, formulas escaped, one audit event; 403 without the right', async () => {
    await owner.userGroups.create({ tenantId, body: { name: '=cmd|calc' } })
    const response = await file(owner)
    expect(response.headers.get('content-disposition')).toContain('rights-changes-')
    const text = await response.text()
    expect(text.split('\r\n')[0]).toContain('"actorName"')
    expect(text).toContain(owner.user.userName)
    expect(text).toContain(`"'=cmd|calc"`)
    const { items } = await owner.applianceAuditLog.list({ tenantId, query: { kind: 'export.rights-changes' } })
    expect(items).toHaveLength(1)
    expect((await file(giver)).status).toBe(403)
  })

  test('contains each of 450 entries of two instants once, newest first', async () => {
    const rows = Array.from({ length: 450 }, (_, index) => ({
      id: randomUUID(),
      actionType: 'customer-created',
      actorPrincipalType: 'user' as const,
      actorPrincipalId: null,
      targetType: 'Customer',
      targetId: randomUUID(),
      owningTenantId: tenantId,
      ipAddress: null,
      createdAt: index < 430 ? 2000 : 1000,
      beforeJson: null,
      afterJson: null,
    }))
    await server.write((models, transaction) => models.AuthorizationChangeLog.bulkCreate(rows, { transaction }))
    const lines = (await (await file(owner)).text()).trimEnd().split('\r\n')
    const listed = lines.map((text) => text.slice(-37, -1)).slice(-450)
    const newestFirst = rows.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
    expect(listed).toEqual(newestFirst.map(({ id }) => id))
  })
})
