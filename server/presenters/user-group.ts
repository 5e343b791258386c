import type { UserGroupDetailResponseDto, UserGroupResponseDto } from '../../shared/dtos/user-group.ts'
import type { UserGroupRow } from '../models/user-group.ts'

const presentGroup = ({ id, name, description, createdAt }: UserGroupRow) => ({
  id,
  name,
  description,
  createdAt: new Date(createdAt).toISOString(),
})

export const presentUserGroup = (group: UserGroupRow & { memberCount: number }): UserGroupResponseDto => ({
  ...presentGroup(group),
  memberCount: group.memberCount,
})

interface Member {
  userId: string
  userName: string
  displayName: string | null
  lastLogin: number | null
}

const presentMember = ({ userId, userName, displayName, lastLogin }: Member) => ({
  userId,
  userName,
  displayName,
  lastLogin: lastLogin === null ? null : new Date(lastLogin).toISOString(),
})

export const presentUserGroupDetail = (group: UserGroupRow & { members: Member[] }): UserGroupDetailResponseDto => ({
  ...presentGroup(group),
  members: group.members.map(presentMember),
})
