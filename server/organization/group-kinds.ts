import type { Transaction } from 'sequelize'
import type { DeviceGroupMemberResponseDto } from '../../shared/dtos/device-group.ts'
import type { App, Call } from '../call/call.ts'
import type { UserGroupMember } from './present.ts'
import { askProofForHolder } from '../assignments/recent-proof.ts'
import { givenName, joinChosenName } from '../people/account-mirror.ts'
import { notifyUsers } from '../people/notices.ts'
import { checkTokenMayMove, type Move } from './device-moves.ts'
import { checkDeleting, checkJoining, checkLeaving, keepingAuthority, type HoldingGroup } from './group-authority.ts'

type Check = (call: Call, group: HoldingGroup, transaction: Transaction) => Promise<void>

/** Differences between device groups and user groups; `groups.ts` has the common part. */
export interface GroupKind<Member> {
  model: 'DeviceGroup' | 'UserGroup'
  noun: 'device group' | 'user group'
  /** Prefix of action types in the log of changes. */
  subject: 'device-group' | 'user-group'
  table: 'device_groups' | 'user_groups'
  member: {
    model: 'Device' | 'User'
    noun: 'device' | 'user'
    /** Column in the table of links. */
    id: 'deviceId' | 'userId'
    /** Member name in request bodies and in the log of changes. */
    ids: 'deviceIds' | 'userIds'
    linkModel: 'DeviceGroupMember' | 'UserGroupMember'
    linkTable: 'device_group_members' | 'user_group_members'
  }
  listMembers(app: App, groupId: string): Promise<Member[]>
  /**
   * Throws 403 for members that a restricted token may not move; defined where rights on the group reach its members.
   */
  checkMoving?(
    call: Call,
    group: HoldingGroup,
    permission: 'device-group.assign-devices' | 'tenant.device-groups.write',
    move: Omit<Move, 'scopeId'>,
    transaction: Transaction,
  ): Promise<void>
  /** Authority that membership grants, where it grants any. Checks throw 403 beyond the permission of the route. */
  authority?: {
    /** Asks for a recent proof before a change of a group with management permissions. */
    askProof(call: Call, groupId: string): void
    /** Returns the restricted token that limits the memberships, or null without such a token. */
    checkAdding(call: Call, group: HoldingGroup): string | null
    checkRemoving: Check
    checkDeleting: Check
    /** Runs `work`, and rolls back where required authority would be lost. */
    keeping<T>(call: Call, transaction: Transaction, tenantId: string, work: () => Promise<T>): Promise<T>
    /** Notifies the added members. */
    notifyAdded(
      call: Call,
      transaction: Transaction,
      group: { name: string },
      memberIds: readonly string[],
    ): Promise<void>
  }
}

/** Members per read: the driver builds all rows of a read synchronously. */
const membersPerRead = 2_000

async function listDevices({ database }: App, groupId: string): Promise<DeviceGroupMemberResponseDto[]> {
  const members: DeviceGroupMemberResponseDto[] = []
  let page: DeviceGroupMemberResponseDto[]
  do {
    const last = members.at(-1)
    page = await database.all<DeviceGroupMemberResponseDto>(
      `SELECT d.id AS deviceId, d.name AS deviceName, d.alias, c.name AS customerName
       FROM device_group_members AS m JOIN devices AS d ON d.id = m.deviceId
         LEFT JOIN customers AS c ON c.id = d.customerId
       WHERE m.groupId = ? AND (d.name COLLATE NOCASE, d.id) > (?, ?)
       ORDER BY d.name COLLATE NOCASE, d.id LIMIT ${membersPerRead}`,
      [groupId, last?.deviceName ?? '', last?.deviceId ?? ''],
    )
    members.push(...page)
  } while (page.length === membersPerRead)
  return members
}

export const deviceGroupKind: GroupKind<DeviceGroupMemberResponseDto> = {
  model: 'DeviceGroup',
  noun: 'device group',
  subject: 'device-group',
  table: 'device_groups',
  member: {
    model: 'Device',
    noun: 'device',
    id: 'deviceId',
    ids: 'deviceIds',
    linkModel: 'DeviceGroupMember',
    linkTable: 'device_group_members',
  },
  listMembers: listDevices,
  checkMoving: (call, { id, tenantId }, permission, move, transaction) =>
    checkTokenMayMove(
      call,
      { permission, on: { kind: 'DeviceGroup', id, tenantId } },
      [{ scopeId: id, ...move }],
      transaction,
    ),
}

export const userGroupKind: GroupKind<UserGroupMember> = {
  model: 'UserGroup',
  noun: 'user group',
  subject: 'user-group',
  table: 'user_groups',
  member: {
    model: 'User',
    noun: 'user',
    id: 'userId',
    ids: 'userIds',
    linkModel: 'UserGroupMember',
    linkTable: 'user_group_members',
  },
  listMembers: ({ database }, groupId) =>
    database.all(
      `SELECT u.id AS userId, u.userName, u.lastLogin, ${givenName} AS displayName
       FROM user_group_members AS m JOIN users AS u ON u.id = m.userId
         ${joinChosenName}
       WHERE m.groupId = ? ORDER BY u.userName, u.id`,
      [groupId],
    ),
  authority: {
    askProof: askProofForHolder,
    checkAdding: checkJoining,
    checkRemoving: checkLeaving,
    checkDeleting,
    keeping: keepingAuthority,
    notifyAdded: (call, transaction, { name }, memberIds) =>
      notifyUsers(call, transaction, memberIds, { kind: 'added-to-group', subject: name }),
  },
}
