import { randomUUID } from 'node:crypto'
import { literal, type ModelStatic, type Transaction } from 'sequelize'
import { rowLimits } from '../../shared/row-limits.ts'
import type { App, Call, OpenCall } from '../call/call.ts'
import { rowLimitReached } from '../call/check-row-limit.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { rowOf, type Entity } from '../engines/database/entity.ts'
import type { DeviceGroupRow, UserGroupRow } from './tables.ts'
import { badRequest, forbidden } from '../ground/errors.ts'
import { holds, rightOf } from '../rights/rights.ts'
import { recordChange } from '../rights/authorization-log.ts'
import type { Change } from '../rights/change.ts'
import { deviceGroupKind, userGroupKind, type GroupKind } from './group-kinds.ts'
import { replaceInPlacements } from './key-placements.ts'
import { removeAssignmentsOf, removeAssignmentsOn } from '../assignments/assignment-cleanup.ts'
import { createNamed, findOfTenant, rejectTakenName, requireOfTenant, type TenantRow } from './tenant-rows.ts'

export type GroupRow = DeviceGroupRow | UserGroupRow
export type GroupDetail<Member> = GroupRow & { members: Member[] }

interface GroupRequest {
  name: string
  description?: string | null | undefined
}

/** Groups by name, with the number of members. */
export const listGroups = (
  { app: { database } }: OpenCall,
  { table, member }: GroupKind<unknown>,
  tenantId: string,
): Promise<(GroupRow & { memberCount: number })[]> =>
  database.all(
    `SELECT g.*, (SELECT count(*) FROM ${member.linkTable} WHERE groupId = g.id) AS memberCount
     FROM ${table} AS g WHERE g.tenantId = ? ORDER BY g.name, g.id`,
    [tenantId],
  )

export async function getGroup<Member>(
  { app }: OpenCall,
  kind: GroupKind<Member>,
  tenantId: string,
  id: string,
): Promise<GroupDetail<Member>> {
  const group = await findOfTenant(app.models[kind.model], kind.noun, tenantId, id)
  return { ...group.get({ plain: true }), members: await kind.listMembers(app, id) }
}

/** Device groups of a device, by name; null when the caller may not see the groups of its tenant. */
export async function groupsOf(
  { app, principal }: Call,
  { tenantId, groupIds }: DeviceState,
): Promise<{ id: string; name: string }[] | null> {
  if (!holds(app, principal, 'tenant.device-groups.read', tenantId)) {
    return null
  }
  const { models } = app
  const groups = await models.DeviceGroup.findAll({ where: { id: [...groupIds] }, order: [['name', 'ASC']] })
  return groups.map(({ id, name }) => ({ id, name }))
}

type Action = 'created' | 'updated' | 'deleted' | 'members-added' | 'members-removed'

const changeOf = (
  { model, subject }: GroupKind<unknown>,
  action: Action,
  { id, tenantId }: { id: string; tenantId: string },
  states: Pick<Change, 'before' | 'after'>,
): Change => ({ actionType: `${subject}-${action}`, targetType: model, targetId: id, tenantId, ...states })

/** Row of either table of links: has `deviceId` or `userId`; links of users have a `madeWith`. */
interface Link {
  groupId: string
  deviceId?: string
  userId?: string
  madeWith?: string | null
}

const linksOf = ({ models }: App, { member }: GroupKind<unknown>) =>
  models[member.linkModel] as unknown as ModelStatic<Entity<Link>>

/** Writes all or nothing. Rolls back where required authority would be lost. */
const write = <T>(
  call: Call,
  { authority }: GroupKind<unknown>,
  tenantId: string,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> =>
  call.app.database.write((transaction) =>
    authority ? authority.keeping(call, transaction, tenantId, () => work(transaction)) : work(transaction),
  )

async function memberIdsOf(app: App, kind: GroupKind<unknown>, groupId: string, transaction: Transaction) {
  const links = await linksOf(app, kind).findAll({ where: { groupId }, raw: true, transaction })
  return links.map((link) => link[kind.member.id]!)
}

export async function createGroup<Member>(
  call: Call,
  kind: GroupKind<Member>,
  tenantId: string,
  { name, description = null }: GroupRequest,
): Promise<GroupDetail<Member>> {
  const { app } = call
  const row: GroupRow = { id: randomUUID(), tenantId, name, description, createdAt: app.clock.now() }
  await createNamed(app, app.models[kind.model], kind.noun, row, async (transaction) => {
    await app.models[kind.model].create(row, { transaction })
    await recordChange(call, transaction, changeOf(kind, 'created', row, { after: row }))
  })
  return { ...row, members: [] }
}

export async function updateGroup<Member>(
  call: Call,
  kind: GroupKind<Member>,
  tenantId: string,
  id: string,
  { name, description = null }: GroupRequest,
): Promise<GroupDetail<Member>> {
  const { app } = call
  const model = app.models[kind.model]
  await app.database.writeShared(async (transaction) => {
    const group = await findOfTenant(model, kind.noun, tenantId, id, transaction)
    await rejectTakenName(model, kind.noun, { id, tenantId, name }, transaction)
    kind.authority?.askProof(call, id)
    const before = rowOf(group)
    await group.update({ name, description }, { transaction })
    const states = { before, after: { ...before, name, description } }
    await recordChange(call, transaction, changeOf(kind, 'updated', before, states))
  })
  return getGroup(call, kind, tenantId, id)
}

/** Deletes a group, the rights on the group and the rights that it gives to its members. */
export async function deleteGroup(call: Call, kind: GroupKind<unknown>, tenantId: string, id: string): Promise<void> {
  await write(call, kind, tenantId, async (transaction) => {
    const group = await findOfTenant(call.app.models[kind.model], kind.noun, tenantId, id, transaction)
    kind.authority?.askProof(call, id)
    await kind.authority?.checkDeleting(call, group, transaction)
    await deleteIn(call, kind, transaction, group)
  })
}

async function deleteIn(
  call: Call,
  kind: GroupKind<unknown>,
  transaction: Transaction,
  group: Entity<GroupRow>,
): Promise<void> {
  const { id } = group
  const members = await memberIdsOf(call.app, kind, id, transaction)
  const leaving = { deviceIds: members, direction: 'out of' } as const
  await kind.checkMoving?.(call, group, 'tenant.device-groups.write', leaving, transaction)
  await removeAssignmentsOn(call, transaction, [id])
  await removeAssignmentsOf(call, transaction, [id])
  const before = { ...group.get({ plain: true }), [kind.member.ids]: members }
  await group.destroy({ transaction })
  await recordChange(call, transaction, changeOf(kind, 'deleted', before, { before }))
}

/**
 * Moves the devices of a device group to another group, and deletes the first with the rights on it; all or nothing.
 * Returns the number of devices that are new to the other group. Throws 403 unless the principal may change the devices
 * of both groups.
 */
export async function mergeDeviceGroup(call: Call, tenantId: string, id: string, intoId: string): Promise<number> {
  const { app, principal } = call
  if (id === intoId) {
    throw badRequest('A group cannot be merged into itself.')
  }
  return app.database.write(async (transaction) => {
    const find = (groupId: string) =>
      findOfTenant(app.models.DeviceGroup, deviceGroupKind.noun, tenantId, groupId, transaction)
    const [from, into] = [await find(id), await find(intoId)]
    const mayFill = rightOf(app, principal, 'device-group.assign-devices')
    const closed = [from, into].find((group) => !mayFill({ kind: 'DeviceGroup', id: group.id, tenantId }))
    if (closed) {
      throw forbidden(`You do not have the permission device-group.assign-devices on ${closed.name}.`)
    }
    const members = await memberIdsOf(app, deviceGroupKind, id, transaction)
    await replaceInPlacements(app, transaction, 'deviceGroupIds', id, intoId)
    // Before its members join the other group, because they may be in as many groups as a member can.
    await deleteIn(call, deviceGroupKind, transaction, from)
    const moved = await addIn(call, deviceGroupKind, transaction, into, members)
    return moved.length
  })
}

/** Throws 409 where a member is in too many groups. */
async function checkCount(app: App, kind: GroupKind<unknown>, transaction: Transaction, memberIds: readonly string[]) {
  const { id: column } = kind.member
  const crowded = await linksOf(app, kind).findOne({
    attributes: [column],
    where: { [column]: [...memberIds] },
    group: [column],
    having: literal(`count(*) > ${rowLimits['groups of a device or a user']}`),
    raw: true,
    transaction,
  })
  if (crowded) {
    throw rowLimitReached('groups of a device or a user', 'One of these is in as many.')
  }
}

/** Adds the missing ones of some members, and returns their ids. */
async function addIn(
  call: Call,
  kind: GroupKind<unknown>,
  transaction: Transaction,
  group: Entity<GroupRow>,
  memberIds: readonly string[],
  madeWith?: string | null,
): Promise<string[]> {
  const { app } = call
  const { ids: field, id: column } = kind.member
  const present = new Set(await memberIdsOf(app, kind, group.id, transaction))
  const missing = [...new Set(memberIds)].filter((memberId) => !present.has(memberId))
  if (missing.length > 0) {
    const coming = { deviceIds: missing, direction: 'into' } as const
    await kind.checkMoving?.(call, group, 'device-group.assign-devices', coming, transaction)
    const links = missing.map((memberId) => ({ groupId: group.id, [column]: memberId, ...(madeWith && { madeWith }) }))
    await linksOf(app, kind).bulkCreate(links, { transaction })
    await checkCount(app, kind, transaction, missing)
    await kind.authority?.notifyAdded(call, transaction, group, missing)
    await recordChange(call, transaction, changeOf(kind, 'members-added', group, { after: { [field]: missing } }))
  }
  return missing
}

/** Adds a new user to user groups, as part of a write. Throws 403 unless the principal may add users to each. */
export async function addToGroupsIn(
  call: Call & { transaction: Transaction; tenantId: string },
  userId: string,
  groupIds: readonly string[],
): Promise<void> {
  const { app, principal, tenantId, transaction } = call
  const mayFill = rightOf(app, principal, 'user-group.assign-users')
  for (const id of new Set(groupIds)) {
    const group = await findOfTenant(app.models.UserGroup, userGroupKind.noun, tenantId, id, transaction)
    if (!mayFill({ kind: 'UserGroup', id, tenantId })) {
      throw forbidden(`You do not have the permission user-group.assign-users on ${group.name}.`)
    }
    userGroupKind.authority?.askProof(call, id)
    const madeWith = userGroupKind.authority?.checkAdding(call, group)
    await addIn(call, userGroupKind, transaction, group, [userId], madeWith)
  }
}

/** Adds all members or none; existing members remain. */
export async function addGroupMembers(
  call: Call,
  kind: GroupKind<unknown>,
  tenantId: string,
  id: string,
  memberIds: readonly string[],
): Promise<void> {
  const { app } = call
  const { model, noun, ids: field, id: column } = kind.member
  await write(call, kind, tenantId, async (transaction) => {
    const group = await findOfTenant(app.models[kind.model], kind.noun, tenantId, id, transaction)
    const madeWith = kind.authority?.checkAdding(call, group)
    kind.authority?.askProof(call, id)
    await requireOfTenant(
      app.models[model] as ModelStatic<Entity<TenantRow>>,
      noun,
      tenantId,
      { field, ids: memberIds, columns: [] },
      transaction,
    )
    if (madeWith === null) {
      // Memberships added without a token replace memberships made with a token.
      const where = { groupId: id, [column]: [...memberIds] }
      await linksOf(app, kind).update({ madeWith }, { where, transaction })
    }
    await addIn(call, kind, transaction, group, memberIds, madeWith)
  })
}

/** Removes members; ids of non-members are ignored. */
export async function removeGroupMembers(
  call: Call,
  kind: GroupKind<unknown>,
  tenantId: string,
  id: string,
  memberIds: readonly string[],
): Promise<void> {
  const { app } = call
  const { ids: field, id: column } = kind.member
  await write(call, kind, tenantId, async (transaction) => {
    const group = await findOfTenant(app.models[kind.model], kind.noun, tenantId, id, transaction)
    const named = new Set(memberIds)
    const leaving = (await memberIdsOf(app, kind, id, transaction)).filter((memberId) => named.has(memberId))
    if (leaving.length > 0) {
      const move = { deviceIds: leaving, direction: 'out of' } as const
      await kind.checkMoving?.(call, group, 'device-group.assign-devices', move, transaction)
      kind.authority?.askProof(call, id)
      await kind.authority?.checkRemoving(call, group, transaction)
      await linksOf(app, kind).destroy({ where: { groupId: id, [column]: leaving }, transaction })
      const change = changeOf(kind, 'members-removed', group, { before: { [field]: leaving } })
      await recordChange(call, transaction, change)
    }
  })
}
