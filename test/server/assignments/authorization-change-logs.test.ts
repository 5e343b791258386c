import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { AuthorizationChangeLogRow } from '../../../server/rights/tables.ts'
import { manualClock } from '../../support/clock.ts'
import { addMember, addServerAccount, createUser, type Program } from '../../support/people.ts'
import { ownerForFile, serverForFile, type Member } from '../../support/server.ts'

let stranger: Member
/** Reads only the log of its own tenant. */
let reader: Member
/** Reads the log of the server, without rights in its tenant. */
let serverReader: Member
let nobody: Member
let program: Program
let tenantId: string

const actorId = randomUUID()
const targetId = randomUUID()
const start = Date.UTC(2030, 0, 1)
const minute = 60_000
const count = 400

const entry = (index: number): AuthorizationChangeLogRow => ({
  id: randomUUID(),
  actionType: index % 2 === 0 ? 'customer-created' : 'customer-deleted',
  actorPrincipalType: index % 4 === 0 ? 'service-account' : 'user',
  actorPrincipalId: index % 10 === 0 ? actorId : randomUUID(),
  targetType: index % 5 === 0 ? 'Customer' : 'User',
  targetId: index === 7 ? targetId : randomUUID(),
  owningTenantId: tenantId,
  ipAddress: null,
  createdAt: start + index * minute,
  beforeJson: null,
  afterJson: '{}',
})

/** Newer than all other entries of the test. */
let entries: AuthorizationChangeLogRow[]

const server = serverForFile({
  clock: manualClock(start - 60 * minute),
  settings: { AppOptions__EnablePublicRegistration: 'true' },
})
const owner = ownerForFile(server)
beforeAll(async () => {
  tenantId = owner.tenantId
  stranger = await server.owner({ email: 'eve@example.org' })
  reader = await addMember(server, tenantId, ['tenant.authorization-logs.read'])
  serverReader = await addMember(server, tenantId, [
    { permissionName: 'server.authorization-logs.read', scopeKind: 'Server', scopeId: null },
  ])
  nobody = await addMember(server, tenantId, ['tenant.permissions.read', 'tenant.permissions.write'])
  program = await addServerAccount(owner, 'Restricted', [
    { permissionName: 'tenant.authorization-logs.read', scopeKind: 'Tenant' },
  ])
  entries = Array.from({ length: count }, (_, index) => entry(index))
  await server.write((models, transaction) => models.AuthorizationChangeLog.bulkCreate(entries, { transaction }))
})

type Query = Parameters<Member['authorizationChangeLogs']['list']>[0]['query']
const list = (query: Query = {}, by: Pick<Member, 'authorizationChangeLogs'> = reader, tenant = tenantId) =>
  by.authorizationChangeLogs.list({ tenantId: tenant, query })
const newest = (amount: number, test: (row: AuthorizationChangeLogRow) => boolean = () => true) =>
  entries.filter(test).toReversed().slice(0, amount)
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)
const recent = { from: new Date(start).toISOString() }

describe('a tenant’s log', () => {
  test('is listed newest first, fifty entries a page', async () => {
    const { items, totalItems } = await list()
    expect(ids(items)).toEqual(ids(newest(50)))
    expect(totalItems).toBeGreaterThan(count)
    expect(items[0]).toEqual({ ...entries.at(-1), createdAt: new Date(entries.at(-1)!.createdAt).toISOString() })
  })

  test.each([
    [{ page: 1, pageSize: 30 }, 30, 30],
    [{ pageSize: 1000 }, 0, 200],
    [{ pageSize: 0 }, 0, 1],
    [{ pageSize: -3 }, 0, 1],
    [{ page: 3, pageSize: 120, ...recent }, 360, 40],
    [{ page: 900 }, count, 0],
  ])('is paged: %j', async (query, from, size) => {
    expect(ids((await list(query)).items)).toEqual(ids(newest(count).slice(from, from + size)))
  })

  test.each<[string, Query, (row: AuthorizationChangeLogRow) => boolean]>([
    ['action', { actionType: 'customer-deleted' }, (row) => row.actionType === 'customer-deleted'],
    ['target type', { targetType: 'Customer' }, (row) => row.targetType === 'Customer'],
    ['actor type', { actorType: 'service-account' }, (row) => row.actorPrincipalType === 'service-account'],
    ['actor id', { searchText: actorId.toUpperCase() }, (row) => row.actorPrincipalId === actorId],
    ['a part of the target id', { searchText: ` ${targetId.slice(4, 20)} ` }, (row) => row.targetId === targetId],
    [
      'everything at once',
      { actionType: 'customer-created', targetType: 'Customer', actorType: 'service-account', searchText: actorId },
      (row) => row.actorPrincipalId === actorId && row.actorPrincipalType === 'service-account',
    ],
    ['nothing in particular', { searchText: '', actionType: '', targetType: '', actorType: '' }, () => true],
    [
      'from an instant on',
      { from: new Date(start + 390 * minute).toISOString() },
      (row) => row.createdAt >= start + 390 * minute,
    ],
    ['up to an instant', { to: '2030-01-01T01:05:00+01:00' }, (row) => row.createdAt <= start + 5 * minute],
  ])('is filtered by %s', async (_, query, isWanted) => {
    const { items, totalItems } = await list({ ...recent, pageSize: 200, ...query })
    expect(ids(items)).toEqual(ids(newest(200, isWanted)))
    expect(totalItems).toBe(entries.filter(isWanted).length)
  })

  test('finds an entry by its id, and does not read the search text as a pattern', async () => {
    expect(ids((await list({ searchText: entries[3]!.id })).items)).toEqual([entries[3]!.id])
    for (const searchText of ['%', '_', "'", '0 OR 1=1']) {
      expect((await list({ searchText })).totalItems).toBe(0)
    }
  })

  test.each<[string, object]>([
    ['a search text of 129 characters', { searchText: 'x'.repeat(129) }],
    ['a time that is none', { from: 'yesterday' }],
    ['a page below 0', { page: -1 }],
    ['a page that is no number', { page: 'first' }],
  ])('is 400 for %s', async (_, query) => {
    await expect(list(query as Query)).rejects.toMatchObject({ status: 400 })
  })

  test('records what registration seeded', async () => {
    const { items } = await list({ actionType: 'permission-assignments-seeded' })
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({
      targetType: 'User',
      targetId: owner.user.id,
      actorPrincipalType: 'system',
      beforeJson: null,
    })
    expect(JSON.parse(items[0]!.afterJson!)).toMatchObject({
      presetNames: expect.arrayContaining(['Server Administrator']),
    })
  })

  test('is searched by what a change names: assignment, credential, people', async () => {
    const found = async (searchText: string, by: Member = reader, tenant = tenantId) =>
      (await list({ searchText, pageSize: 200 }, by, tenant)).items.map(({ actionType }) => actionType)
    const { user } = nobody
    const assignment = await owner.permissionAssignments.create({
      tenantId,
      body: {
        principalKind: 'User',
        principalId: user.id,
        permissionName: 'device.chat.send',
        scopeKind: 'Tenant',
        notes: 'Ärger "100%_sure" on Mondays',
      },
    })
    const account = await owner.tenantServiceAccounts.create({ params: { tenantId }, body: { name: 'Night Backup' } })
    const params = { tenantId, serviceAccountId: account.id }
    const { credential } = await owner.tenantServiceAccounts.createCredential({
      params,
      body: { name: 'Key of Robot' },
    })
    await owner.tenantServiceAccounts.revokeCredential({ params: { ...params, credentialId: credential.id } })
    const gone = await createUser(owner)
    await owner.users.delete({ tenantId, params: { userId: gone.id } })

    const assigned = ['permission-assignment-created']
    expect(await found('device.CHAT.send')).toEqual([...assigned, 'permission-assignments-seeded'])
    expect(await found('"100%_SURE"')).toEqual(assigned)
    expect(await found('Ärger')).toEqual(assigned)
    expect(await found(assignment.id)).toEqual(assigned)
    const credentialChanges = ['service-account-credential-revoked', 'service-account-credential-created']
    expect(await found('key of robot')).toEqual(credentialChanges)
    expect(await found(credential.id)).toEqual(credentialChanges)
    expect(await found('night backup')).toEqual([...credentialChanges, 'service-account-created'])
    expect(await found(account.id)).toEqual([...credentialChanges, 'service-account-created'])
    expect(await found(user.email.slice(0, 30).toUpperCase())).toEqual(assigned)
    expect(await found(user.id)).toEqual(assigned)
    expect(await found(gone.email)).toContain('user-deleted')
    expect(await found(owner.user.email)).toContain('user-deleted')
    const group = await owner.userGroups.create({ tenantId, body: { name: 'Night shift' } })
    await owner.userGroups.addMembers({ tenantId, params: { userGroupId: group.id }, body: { userIds: [user.id] } })
    expect(await found('night SHIFT')).toEqual(['user-group-members-added', 'user-group-created'])
    // Neither member names nor people of another tenant match.
    expect(await found('permissionName')).toEqual([])
    expect(await found(stranger.user.email, owner)).toEqual([])
  })
})

describe('who may read it', () => {
  test('the tenant permission allows only its own tenant', async () => {
    await expect(list({}, reader, stranger.tenantId)).rejects.toMatchObject({ status: 403 })
    await expect(list({}, stranger)).rejects.toMatchObject({ status: 403 })
    const own = await list({ pageSize: 200 }, stranger, stranger.tenantId)
    expect(own.items.every(({ owningTenantId }) => owningTenantId === stranger.tenantId)).toBe(true)
  })

  test('the server permission allows every tenant that exists, also to a user', async () => {
    expect((await list({}, serverReader)).totalItems).toBeGreaterThan(count)
    expect((await list({}, serverReader, stranger.tenantId)).items[0]!.owningTenantId).toBe(stranger.tenantId)
    await expect(list({}, serverReader, randomUUID())).rejects.toMatchObject({ status: 404 })
  })

  test('a server service account may read where it was given the permission', async () => {
    expect((await list({}, program)).totalItems).toBeGreaterThan(count)
    await expect(list({}, program, stranger.tenantId)).rejects.toMatchObject({ status: 403 })
  })

  test('other principals, and requests without a tenant, are refused', async () => {
    await expect(list({}, nobody)).rejects.toMatchObject({ status: 403 })
    await expect(list({}, nobody, 'not-a-tenant')).rejects.toMatchObject({ status: 403 })
    for (const by of [reader, serverReader]) {
      expect((await by.fetch('/api/v1/authorization-change-logs')).status).toBe(400)
      await expect(list({}, by, '00000000-0000-0000-0000-000000000000')).rejects.toMatchObject({ status: 400 })
    }
  })
})

describe('the server’s log', () => {
  const listOfServer = (by: Pick<Member, 'authorizationChangeLogs'>, query: Query = {}) =>
    by.authorizationChangeLogs.listOfServer({ query })

  test('holds what belongs to no tenant, such as rights on the server', async () => {
    const row = await owner.permissionAssignments.create({
      tenantId,
      body: {
        principalKind: 'User',
        principalId: nobody.user.id,
        permissionName: 'server.telemetry.read',
        scopeKind: 'Server',
      },
    })
    const { items, totalItems } = await listOfServer(serverReader)
    expect(items[0]).toMatchObject({
      actionType: 'permission-assignment-created',
      targetId: row.id,
      owningTenantId: null,
    })
    expect(items).toHaveLength(totalItems)
    expect(items.every(({ owningTenantId }) => owningTenantId === null)).toBe(true)
    expect((await list({ searchText: row.id })).totalItems).toBe(0)
    expect((await listOfServer(serverReader, { actionType: 'customer-created' })).totalItems).toBe(0)
  })

  test('needs the server permission', async () => {
    for (const by of [reader, stranger, program]) {
      await expect(listOfServer(by)).rejects.toMatchObject({ status: 403 })
    }
  })
})
