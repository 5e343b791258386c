import { defineTable, integer, integerOrNull, key, type RowOf, text, textOrNull } from '../database/table.ts'

export const defineCustomer = defineTable('customers', {
  id: key(),
  tenantId: text(),
  name: text(),
  description: textOrNull(),
  notes: textOrNull(),
  createdAt: integer(),
})
export type CustomerRow = RowOf<typeof defineCustomer>

export const defineCustomerContact = defineTable('customer_contacts', {
  id: key(),
  customerId: text(),
  /** Order in the list, from 0. */
  place: integer(),
  name: text(),
  role: text(),
  email: text(),
  phone: text(),
})
export type CustomerContactRow = RowOf<typeof defineCustomerContact>

export const defineCustomerParent = defineTable('customer_parents', {
  customerId: key(),
  parentId: text(),
})
export type CustomerParentRow = RowOf<typeof defineCustomerParent>

export const defineDeviceGroup = defineTable('device_groups', {
  id: key(),
  tenantId: text(),
  name: text(),
  description: textOrNull(),
  createdAt: integer(),
})
export type DeviceGroupRow = RowOf<typeof defineDeviceGroup>

export const defineDeviceGroupMember = defineTable('device_group_members', {
  groupId: key(),
  deviceId: key(),
})

export const defineUserGroup = defineTable('user_groups', {
  id: key(),
  tenantId: text(),
  name: text(),
  description: textOrNull(),
  createdAt: integer(),
})
export type UserGroupRow = RowOf<typeof defineUserGroup>

export const defineUserGroupMember = defineTable('user_group_members', {
  groupId: key(),
  userId: key(),
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: textOrNull(),
})

export const defineTenant = defineTable('tenants', {
  id: key(),
  name: text(),
  createdAt: integer(),
  /** Time from which people need a second factor; null while none is required. */
  secondFactorFrom: integerOrNull(),
})
export type TenantRow = RowOf<typeof defineTenant>

export const defineTenantSetting = defineTable('tenant_settings', {
  id: key(),
  tenantId: text(),
  name: text(),
  value: text(),
})
