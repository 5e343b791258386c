import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { UserGroupDetailResponseDto } from '../../../shared/dtos/user-group.ts'
import { buildAssignment } from '../../support/factories.ts'
import { connectViewer, follow } from '../../support/hub-client.ts'
import { addMember, type Grant } from '../../support/people.ts'
import { ownerForFile, serverForFile, type Member } from '../../support/server.ts'
import { statusesOf } from '../../support/statuses.ts'
import { addDevices, changesOf, stored } from '../../support/stored.ts'
import { until } from '../../support/until.ts'

let stranger: Member
let reader: Member
let tenantId: string
let devices: string[]

const server = serverForFile({ settings: { AppOptions__EnablePublicRegistration: 'true' } })
const owner = ownerForFile(server)
beforeAll(async () => {
  tenantId = owner.tenantId
  stranger = await server.owner({ email: 'grace@example.org' })
  devices = (await addDevices(server, tenantId, 2)).map(({ id }) => id)
  reader = await addMember(server, tenantId, ['tenant.user-groups.read'])
})

let group: UserGroupDetailResponseDto
beforeEach(async () => {
  group = await owner.userGroups.create({ tenantId, body: { name: `Group ${randomUUID()}` } })
})

const inGroup = () => ({ tenantId, params: { userGroupId: group.id } })
const add = (userIds: string[], member: Member = owner) =>
  member.userGroups.addMembers({ ...inGroup(), body: { userIds } })
const remove = (userIds: string[], member: Member = owner) =>
  member.userGroups.removeMembers({ ...inGroup(), body: { userIds } })
const members = async () => (await owner.userGroups.get(inGroup())).members.map(({ userId }) => userId)

const grant = (...grants: Exclude<Grant, string>[]) =>
  server.write((models, transaction) =>
    models.PermissionAssignment.bulkCreate(
      grants.map((changes) =>
        buildAssignment({
          principalKind: 'UserGroup',
          principalId: group.id,
          permissionName: 'device.read',
          scopeKind: 'Tenant',
          scopeId: tenantId,
          ...changes,
        }),
      ),
      { transaction },
    ),
  )

test('a group is created, read, replaced and deleted', async () => {
  const body = { name: ' Night shift ', description: 'Ten to six' }
  const created = await owner.userGroups.create({ tenantId, body })
  expect(created).toEqual({
    id: created.id,
    name: 'Night shift',
    description: 'Ten to six',
    createdAt: expect.stringMatching(/Z$/),
    members: [],
  })
  const input = { tenantId, params: { userGroupId: created.id } }
  await owner.userGroups.addMembers({ ...input, body: { userIds: [reader.user.id] } })
  const updated = await owner.userGroups.update({ ...input, body: { name: 'Nights' } })
  const { id: userId, userName } = reader.user
  expect(updated).toEqual({
    ...created,
    name: 'Nights',
    description: null,
    members: [{ userId, userName, displayName: null, lastLogin: expect.stringMatching(/Z$/) }],
  })
  expect(await reader.userGroups.get(input)).toEqual(updated)
  expect((await reader.userGroups.list({ tenantId })).items).toContainEqual({
    id: created.id,
    name: 'Nights',
    description: null,
    createdAt: created.createdAt,
    memberCount: 1,
  })
  await owner.userGroups.delete(input)
  await expect(owner.userGroups.get(input)).rejects.toMatchObject({ status: 404 })
  expect(await changesOf(server, created.id)).toMatchObject([
    { action: 'user-group-created', actor: owner.user.id, before: null, after: { name: 'Night shift' } },
    { action: 'user-group-members-added', before: null, after: { userIds: [userId] } },
    { action: 'user-group-updated', before: { name: 'Night shift' }, after: { name: 'Nights' } },
    { action: 'user-group-deleted', before: { name: 'Nights', userIds: [userId] }, after: null },
  ])
})

test('members show their display name', async () => {
  await server.write((models, transaction) =>
    models.UserPreference.create(
      { id: randomUUID(), userId: reader.user.id, name: 'user-display-name', value: 'Rita Reader' },
      { transaction },
    ),
  )
  await add([reader.user.id, owner.user.id])
  const shown = (await owner.userGroups.get(inGroup())).members
  expect(Object.fromEntries(shown.map(({ userName, displayName }) => [userName, displayName]))).toEqual({
    [owner.user.userName]: null,
    [reader.user.userName]: 'Rita Reader',
  })
})

describe('refused are', () => {
  test('blank, long and taken names', async () => {
    const create = (name: string) => owner.userGroups.create({ tenantId, body: { name } })
    expect(await statusesOf(['', ' ', 'x'.repeat(101), group.name.toLowerCase()].map(create))).toEqual([
      400, 400, 400, 409,
    ])
  })

  test('principals that may only read', async () => {
    const calls = [
      reader.userGroups.get(inGroup()),
      reader.userGroups.create({ tenantId, body: { name: 'mine' } }),
      reader.userGroups.update({ ...inGroup(), body: { name: 'mine' } }),
      reader.userGroups.delete(inGroup()),
      add([reader.user.id], reader),
      remove([reader.user.id], reader),
    ]
    expect(await statusesOf(calls)).toEqual([200, 403, 403, 403, 403, 403])
  })

  test('another tenant: 403 for its id, 404 for an id of one of its groups', async () => {
    const foreign = { ...inGroup(), tenantId: stranger.tenantId }
    const body = { userIds: [stranger.user.id] }
    const calls = [
      stranger.userGroups.list({ tenantId }),
      stranger.userGroups.get(foreign),
      stranger.userGroups.update({ ...foreign, body: { name: 'mine' } }),
      stranger.userGroups.delete(foreign),
      stranger.userGroups.addMembers({ ...foreign, body }),
      stranger.userGroups.removeMembers({ ...foreign, body }),
    ]
    expect(await statusesOf(calls)).toEqual([403, 404, 404, 404, 404, 404])
  })

  test('lists of members with one of another tenant, or too long', async () => {
    const many = (count: number) => Array.from({ length: count }, () => reader.user.id)
    const lists = [[reader.user.id, randomUUID()], [stranger.user.id], ['no-guid'], many(1001)]
    expect(await statusesOf(lists.map((userIds) => add(userIds)))).toEqual([400, 400, 400, 400])
    expect(await members()).toEqual([])
    await add(many(1000))
    expect(await members()).toEqual([reader.user.id])
  })
})

test('members get the rights of their group at once, and lose them when they leave or the group is deleted', async () => {
  const member = await addMember(server, tenantId, [])
  await grant({ permissionName: 'device.read' })
  const visible = async () => (await member.devices.list({})).map(({ id }) => id)
  expect(await visible()).toEqual([])
  await add([member.user.id])
  expect(await visible()).toEqual(devices)
  const viewer = await connectViewer(member)
  const alias = (text: string) => owner.devices.setAlias({ params: { deviceId: devices[0]! }, body: { alias: text } })
  await follow(viewer, devices)
  await alias('seen')
  await until(() => viewer.devices.length === 1)
  await remove([member.user.id])
  expect(await visible()).toEqual([])
  await alias('unseen')
  await add([member.user.id])
  expect(await visible()).toEqual(devices)
  await server.restart()
  expect(await visible()).toEqual(devices)
  await owner.userGroups.delete(inGroup())
  expect(await visible()).toEqual([])
  expect(viewer.devices.map((device) => device.alias)).toEqual(['seen'])
  expect(await stored(server, 'SELECT id FROM permission_assignments WHERE principalId = ?', [group.id])).toEqual([])
})

test('the right to assign to a group is for that group only, and is deleted with it', async () => {
  const other = await owner.userGroups.create({ tenantId, body: { name: `other ${group.name}` } })
  const scope = { scopeKind: 'UserGroup', scopeId: group.id } as const
  const lead = await addMember(server, tenantId, [{ permissionName: 'user-group.assign-users', ...scope }])
  await add([lead.user.id], lead)
  expect(await members()).toEqual([lead.user.id])
  await remove([lead.user.id], lead)
  const elsewhere = { tenantId, params: { userGroupId: other.id }, body: { userIds: [lead.user.id] } }
  await expect(lead.userGroups.addMembers(elsewhere)).rejects.toMatchObject({ status: 403 })
  await owner.userGroups.delete(inGroup())
  expect(await stored(server, 'SELECT id FROM permission_assignments WHERE scopeId = ?', [group.id])).toEqual([])
})

describe('a group with rights at the server', () => {
  const atServer = { permissionName: 'server.settings.write', scopeKind: 'Server', scopeId: null } as const

  test('is joined or left only through principals that may give such rights (T04)', async () => {
    const lead = await addMember(server, tenantId, ['user-group.assign-users'])
    await grant(atServer)
    await expect(add([lead.user.id], lead)).rejects.toMatchObject({
      status: 403,
      problem: { detail: expect.stringContaining('server.permissions.write') },
    })
    expect(await members()).toEqual([])
    await add([lead.user.id])
    expect(await statusesOf([remove([lead.user.id], lead), remove([randomUUID()], lead)])).toEqual([403, 200])
    expect(await members()).toEqual([lead.user.id])
    await remove([lead.user.id])
    expect(await members()).toEqual([])
  })

  test('is deleted only by principals that may remove such rights', async () => {
    const keeper = await addMember(server, tenantId, ['tenant.user-groups.write'])
    await grant(atServer)
    await expect(keeper.userGroups.delete(inGroup())).rejects.toMatchObject({
      status: 403,
      problem: { detail: expect.stringContaining('server.permissions.write') },
    })
    await owner.userGroups.delete(inGroup())
  })

  test('is like any other group while those rights are disabled or denied', async () => {
    const lead = await addMember(server, tenantId, ['user-group.assign-users'])
    await grant({ ...atServer, isEnabled: false }, { ...atServer, effect: 'Deny' })
    await add([lead.user.id], lead)
    expect(await members()).toEqual([lead.user.id])
  })
})
