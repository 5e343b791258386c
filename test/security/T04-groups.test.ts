import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { PermissionName } from '../../shared/access.ts'
import { addMember } from '../support/people.ts'
import { ownerForFile, serverForFile, useTestServer, type Member } from '../support/server.ts'

/** Manages groups and their members. */
let lead: Member
/** Manages groups and members, and grants and denies rights. */
let manager: Member
/** Holds no rights of its own. */
let newcomer: Member
let tenantId: string

const leading = ['tenant.user-groups.write', 'user-group.assign-users'] as const

const server = serverForFile()
/** Holds every permission. */
const owner = ownerForFile(server)
beforeAll(async () => {
  tenantId = owner.tenantId
  lead = await addMember(server, tenantId, leading)
  newcomer = await addMember(server, tenantId, [])
  manager = await addMember(server, tenantId, [...leading, 'tenant.permissions.write', 'tenant.permissions.deny'])
})

interface Right {
  permissionName: PermissionName
  scopeKind: 'Server' | 'Tenant'
  effect?: 'Allow' | 'Deny'
  isEnabled?: boolean
}

async function groupWith(rights: Right[], members: Member[] = [], by: Member = owner): Promise<string> {
  const { id } = await by.userGroups.create({ tenantId: by.tenantId, body: { name: randomUUID() } })
  await change('addMembers', id, members, by)
  for (const right of rights) {
    const body = { principalKind: 'UserGroup', principalId: id, ...right } as const
    await by.permissionAssignments.create({ tenantId: by.tenantId, body })
  }
  return id
}

const change = (name: 'addMembers' | 'removeMembers', userGroupId: string, members: Member[], by: Member) =>
  by.userGroups[name]({
    tenantId: by.tenantId,
    params: { userGroupId },
    body: { userIds: members.map(({ user }) => user.id) },
  })
const join = (id: string, member: Member, by: Member) => change('addMembers', id, [member], by)
const leave = (id: string, member: Member, by: Member) => change('removeMembers', id, [member], by)
const remove = (id: string, by: Member) => by.userGroups.delete({ tenantId: by.tenantId, params: { userGroupId: id } })
const membersOf = async (id: string, by: Member = owner) =>
  (await by.userGroups.get({ tenantId: by.tenantId, params: { userGroupId: id } })).members.map(({ userId }) => userId)

/** Expects a status and, where given, a part of the error text. */
const refused = (attempt: Promise<unknown>, status: number, text = '') =>
  expect(attempt).rejects.toMatchObject({ status, problem: { detail: expect.stringContaining(text) } })

const atTenant = (permissionName: PermissionName, effect: 'Allow' | 'Deny' = 'Allow'): Right => ({
  permissionName,
  effect,
  scopeKind: 'Tenant',
})
const atServer: Right = { permissionName: 'server.tenants.read', scopeKind: 'Server' }

describe('joining a group', () => {
  test.each(['tenant.permissions.write', 'tenant.permissions.deny'] as const)(
    'that holds %s requires the same permission of the user who adds a member',
    async (permissionName) => {
      const id = await groupWith([atTenant('device.read'), atTenant(permissionName)])
      await refused(join(id, lead, lead), 403, permissionName)
      await refused(join(id, newcomer, lead), 403, permissionName)
      expect(await membersOf(id)).toEqual([])
      await join(id, newcomer, manager)
      await join(id, manager, owner)
      expect(await membersOf(id)).toHaveLength(2)
    },
  )

  test('with a right on the server needs server.permissions.write', async () => {
    const id = await groupWith([atServer])
    await refused(join(id, newcomer, manager), 403, 'server.permissions.write')
    await join(id, newcomer, owner)
  })

  test('needs no further right when those rights are disabled or not administrative', async () => {
    const id = await groupWith([
      { ...atTenant('tenant.permissions.write'), isEnabled: false },
      { ...atServer, isEnabled: false },
      atTenant('device.delete'),
    ])
    await join(id, lead, lead)
  })

  test('that is denied administrative rights is rejected for the own user', async () => {
    const id = await groupWith([atTenant('tenant.permissions.write', 'Deny')])
    await refused(join(id, manager, manager), 400, 'tenant.permissions.write')
    expect(await membersOf(id)).toEqual([])
  })
})

describe('removing a member of a group, or the group,', () => {
  const rights: [string, Right, string][] = [
    ['a deny', atTenant('device.read', 'Deny'), 'tenant.permissions.deny'],
    ['a right on the server', atServer, 'server.permissions.write'],
  ]
  test.each(rights)('needs the permission to remove %s', async (_, right, needed) => {
    const id = await groupWith([right], [newcomer])
    await refused(leave(id, newcomer, lead), 403, needed)
    await refused(remove(id, lead), 403, needed)
    expect(await membersOf(id)).toEqual([newcomer.user.id])
    await leave(id, lead, lead)
    await leave(id, newcomer, owner)
    await remove(id, owner)
  })

  test('needs the permission to deny when it lifts denies, and authority over the server for those there', async () => {
    const denied = await groupWith([atTenant('device.read', 'Deny')], [lead])
    await leave(denied, lead, manager)
    await remove(denied, manager)
    const ofServer = await groupWith([atServer], [lead])
    await refused(leave(ofServer, lead, manager), 403)
    await refused(remove(ofServer, manager), 403)
  })

  test('needs no further right when the group has no administrative rights', async () => {
    const id = await groupWith([atTenant('device.read')], [lead])
    await leave(id, lead, lead)
    await remove(id, lead)
  })

  test('needs no further right for disabled assignments, which have no effect on members', async () => {
    const id = await groupWith([{ ...atTenant('device.read', 'Deny'), isEnabled: false }], [lead])
    await leave(id, lead, lead)
    await refused(remove(id, lead), 403, 'tenant.permissions.deny')
  })

  test('is rejected when it would end the own administrative rights', async () => {
    const chief = await addMember(server, tenantId, leading)
    const id = await groupWith([atTenant('tenant.permissions.write')], [chief])
    await refused(leave(id, chief, chief), 400, 'tenant.permissions.write')
    await refused(remove(id, chief), 400, 'tenant.permissions.write')
    expect(await membersOf(id)).toEqual([chief.user.id])
    await leave(id, chief, owner)
  })
})

describe('the last principal who can administer the server', () => {
  /** Starts a server whose owner is an administrator only through a group. */
  async function serverOfAGroup() {
    const own = await useTestServer()
    const first = await own.owner()
    const administers: Right = { permissionName: 'server.permissions.write', scopeKind: 'Server' }
    const id = await groupWith([administers], [first], first)
    const principal = { principalKind: 'User', principalId: first.user.id } as const
    const { items } = await first.permissionAssignments.list({ tenantId: first.tenantId, query: principal })
    const row = items.find(({ permissionName }) => permissionName === administers.permissionName)!
    const params = { assignmentId: row.id }
    await first.permissionAssignments.delete({ tenantId: first.tenantId, params })
    return { own, first, id }
  }

  test('can neither leave nor delete the group that permits it', async () => {
    const { own, first, id } = await serverOfAGroup()
    await refused(leave(id, first, first), 409, 'Nobody else could administer this server')
    await refused(remove(id, first), 409)
    expect(await membersOf(id, first)).toEqual([first.user.id])

    const other = await addMember(own, first.tenantId, [
      { permissionName: 'server.permissions.write', scopeKind: 'Server', scopeId: null },
      ...leading,
    ])
    const again = await own.signIn()
    await refused(leave(id, again, again), 400, 'server.permissions.write')
    await leave(id, again, other)
    await remove(id, other)
  })

  test('cannot be added by others to a group that is denied it', async () => {
    const { own, first } = await serverOfAGroup()
    const denied = await groupWith(
      [{ permissionName: 'server.permissions.write', scopeKind: 'Server', effect: 'Deny' }],
      [],
      first,
    )
    const helper = await addMember(own, first.tenantId, leading)
    await refused(join(denied, first, helper), 409)
    await join(denied, helper, helper)
    expect(await membersOf(denied, await own.signIn())).toEqual([helper.user.id])
  })
})
