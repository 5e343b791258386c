import { defineTable, key, type RowOf } from './table.ts'

export const defineDeviceGroupMember = defineTable('device_group_members', {
  groupId: key(),
  deviceId: key(),
})
export type DeviceGroupMemberRow = RowOf<typeof defineDeviceGroupMember>
