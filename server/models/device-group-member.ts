import { defineTable, key } from './table.ts'

export const defineDeviceGroupMember = defineTable('device_group_members', {
  groupId: key(),
  deviceId: key(),
})
