import { key } from './columns.ts'
import { defineTable, type RowOf } from './entity.ts'

export const defineDeviceGroupMember = defineTable('device_group_members', {
  groupId: key(),
  deviceId: key(),
})
export type DeviceGroupMemberRow = RowOf<typeof defineDeviceGroupMember>
