import type { CustomerResponseDto } from '../../shared/dtos/customer.ts'
import type { DeviceGroupDetailResponseDto, DeviceGroupResponseDto } from '../../shared/dtos/device-group.ts'
import type { TenantResponseDto } from '../../shared/dtos/tenant.ts'
import type { UserGroupDetailResponseDto, UserGroupMemberResponseDto } from '../../shared/dtos/user-group.ts'
import { instant, instantOrNull } from '../ground/instant.ts'
import type { CustomerRow, DeviceGroupRow, TenantRow, UserGroupRow } from './tables.ts'

export const presentCustomer = ({
  id,
  name,
  description,
  notes,
  createdAt,
  deviceCount,
}: CustomerRow & { deviceCount: number }): CustomerResponseDto => ({
  id,
  name,
  description,
  notes,
  createdAt: instant(createdAt),
  deviceCount,
})

type GroupRow = DeviceGroupRow | UserGroupRow

const presentRow = ({ id, name, description, createdAt }: GroupRow) => ({
  id,
  name,
  description,
  createdAt: instant(createdAt),
})

/** A device group or a user group, as listed. */
export const presentGroup = (group: GroupRow & { memberCount: number }): DeviceGroupResponseDto => ({
  ...presentRow(group),
  memberCount: group.memberCount,
})

export const presentDeviceGroup = (
  group: DeviceGroupRow & Pick<DeviceGroupDetailResponseDto, 'members'>,
): DeviceGroupDetailResponseDto => ({ ...presentRow(group), members: group.members })

export type UserGroupMember = Omit<UserGroupMemberResponseDto, 'lastLogin'> & { lastLogin: number | null }

export const presentUserGroup = (group: UserGroupRow & { members: UserGroupMember[] }): UserGroupDetailResponseDto => ({
  ...presentRow(group),
  members: group.members.map((member) => ({ ...member, lastLogin: instantOrNull(member.lastLogin) })),
})

export const presentTenant = ({ id, name }: TenantRow): TenantResponseDto => ({ tenantId: id, tenantName: name })
