import type {
  DeviceGroupDetailResponseDto,
  DeviceGroupMemberResponseDto,
  DeviceGroupResponseDto,
} from '../../shared/dtos/device-group.ts'
import type { DeviceGroupRow } from '../models/device-group.ts'

const presentGroup = ({ id, name, description, createdAt }: DeviceGroupRow) => ({
  id,
  name,
  description,
  createdAt: new Date(createdAt).toISOString(),
})

export const presentDeviceGroup = (group: DeviceGroupRow & { memberCount: number }): DeviceGroupResponseDto => ({
  ...presentGroup(group),
  memberCount: group.memberCount,
})

export const presentDeviceGroupDetail = (
  group: DeviceGroupRow & { members: DeviceGroupMemberResponseDto[] },
): DeviceGroupDetailResponseDto => ({ ...presentGroup(group), members: group.members })
