import type { Transaction } from 'sequelize'
import type { App, Call } from '../../call.ts'
import { tellUsers } from '../rights/notices.ts'
import { checkTokenMayMove, type Move } from './device-moves.ts'
import { checkDeleting, checkJoining, checkLeaving, keepingAuthority, type HoldingGroup } from './group-authority.ts'

type Check = (call: Call, group: HoldingGroup, transaction: Transaction) => Promise<void>

/** What tells device groups and user groups apart; everything else about the two is the same (`groups.ts`). */
export interface GroupKind<Member> {
  model: 'DeviceGroup' | 'UserGroup'
  noun: 'device group' | 'user group'
  /** In the log of changes. */
  subject: 'device-group' | 'user-group'
  table: 'device_groups' | 'user_groups'
  member: {
    model: 'Device' | 'User'
    noun: 'device' | 'user'
    /** Of one, in the table of links. */
    id: 'deviceId' | 'userId'
    /** Of many, in bodies and in the log of changes. */
    ids: 'deviceIds' | 'userIds'
    linkModel: 'DeviceGroupMember' | 'UserGroupMember'
    linkTable: 'device_group_members' | 'user_group_members'
  }
  listMembers(app: App, groupId: string): Promise<Member[]>
  /** Throws 403 for members that a restricted token may not move; where rights on the group reach its members. */
  checkMoving?(
    call: Call,
    group: HoldingGroup,
    permission: 'device-group.assign-devices' | 'tenant.device-groups.write',
    move: Omit<Move, 'scopeId'>,
    transaction: Transaction,
  ): Promise<void>
  /** What being in the group gives, where it gives anything; each throws 403 beyond what the route asks for. */
  authority?: {
    /** Returns the restricted token that limits the memberships; null where there is none. */
    checkAdding(call: Call, group: HoldingGroup): string | null
    checkRemoving: Check
    checkDeleting: Check
    /** Does the work, and rolls it back where it removes authority that has to stay. */
    keeping<T>(call: Call, transaction: Transaction, tenantId: string, work: () => Promise<T>): Promise<T>
    /** Tells those who were added. */
    tellAdded(
      call: Call,
      transaction: Transaction,
      group: { name: string },
      memberIds: readonly string[],
    ): Promise<void>
  }
}

export interface DeviceGroupMember {
  deviceId: string
  deviceName: string
  alias: string | null
  customerName: string | null
}

export const deviceGroupKind: GroupKind<DeviceGroupMember> = {
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
  listMembers: ({ database }, groupId) =>
    database.all(
      `SELECT d.id AS deviceId, d.name AS deviceName, d.alias, c.name AS customerName
       FROM device_group_members AS m JOIN devices AS d ON d.id = m.deviceId
         LEFT JOIN customers AS c ON c.id = d.customerId
       WHERE m.groupId = ? ORDER BY d.name COLLATE NOCASE, d.id`,
      [groupId],
    ),
  checkMoving: (call, { id, tenantId }, permission, move, transaction) =>
    checkTokenMayMove(
      call,
      { permission, on: { kind: 'DeviceGroup', id, tenantId } },
      [{ scopeId: id, ...move }],
      transaction,
    ),
}

export interface UserGroupMember {
  userId: string
  userName: string
  displayName: string | null
  lastLogin: number | null
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
      `SELECT u.id AS userId, u.userName, u.lastLogin, p.value AS displayName
       FROM user_group_members AS m JOIN users AS u ON u.id = m.userId
         LEFT JOIN user_preferences AS p ON p.userId = u.id AND p.name = 'user-display-name'
       WHERE m.groupId = ? ORDER BY u.userName, u.id`,
      [groupId],
    ),
  authority: {
    checkAdding: checkJoining,
    checkRemoving: checkLeaving,
    checkDeleting,
    keeping: keepingAuthority,
    tellAdded: (call, transaction, { name }, memberIds) =>
      tellUsers(call, transaction, memberIds, { kind: 'added-to-group', subject: name }),
  },
}
