import { defineTable, type RowOf } from '../engines/database/table.ts'
import * as t from '../engines/database/table.ts'

export const Customer = defineTable('customers', {
  id: t.key(),
  tenantId: t.references('tenants'),
  name: t.caseless(),
  description: t.textOrNull(),
  notes: t.textOrNull(),
  createdAt: t.integer(),
}).with({ mirror: { key: 'id' }, uniqueIndexes: { customers_once: '(tenantId, name)' } })
export type CustomerRow = RowOf<typeof Customer>

export const CustomerContact = defineTable('customer_contacts', {
  id: t.key(),
  customerId: t.references('customers'),
  /** Order in the list, from 0. */
  place: t.integer(),
  name: t.text(),
  role: t.text(),
  email: t.text(),
  phone: t.text(),
}).with({ mirror: null, indexes: { customer_contacts_customer: '(customerId, place)' } })
export type CustomerContactRow = RowOf<typeof CustomerContact>

export const CustomerParent = defineTable('customer_parents', {
  customerId: t.references('customers', t.key()),
  parentId: t.references('customers'),
}).with({ mirror: null, indexes: { customer_parents_parent: '(parentId)' } })
export type CustomerParentRow = RowOf<typeof CustomerParent>

export const DeviceGroup = defineTable('device_groups', {
  id: t.key(),
  tenantId: t.references('tenants'),
  name: t.caseless(),
  description: t.textOrNull(),
  createdAt: t.integer(),
}).with({ mirror: null, uniqueIndexes: { device_groups_once: '(tenantId, name)' } })
export type DeviceGroupRow = RowOf<typeof DeviceGroup>

export const DeviceGroupMember = defineTable('device_group_members', {
  groupId: t.references('device_groups', t.key()),
  deviceId: t.references('devices', t.key()),
}).with({ mirror: { key: 'deviceId' }, indexes: { device_group_members_by_device: '(deviceId)' } })

export const UserGroup = defineTable('user_groups', {
  id: t.key(),
  tenantId: t.references('tenants'),
  name: t.caseless(),
  description: t.textOrNull(),
  createdAt: t.integer(),
}).with({ mirror: null, uniqueIndexes: { user_groups_once: '(tenantId, name)' } })
export type UserGroupRow = RowOf<typeof UserGroup>

export const UserGroupMember = defineTable('user_group_members', {
  groupId: t.references('user_groups', t.key()),
  userId: t.references('users', t.key()),
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: t.references('personal_access_tokens', t.textOrNull()),
}).with({
  mirror: { key: 'userId' },
  indexes: {
    user_group_members_by_maker: '(madeWith) WHERE madeWith IS NOT NULL',
    user_group_members_by_user: '(userId)',
  },
})

export const Tenant = defineTable('tenants', {
  id: t.key(),
  name: t.text(),
  createdAt: t.integer(),
  /** Time from which people need a second factor; null while none is required. */
  secondFactorFrom: t.integerOrNull(),
}).with({ mirror: { key: 'id' } })
export type TenantRow = RowOf<typeof Tenant>

export const TenantSetting = defineTable('tenant_settings', {
  id: t.key(),
  tenantId: t.references('tenants'),
  name: t.text(),
  value: t.text(),
}).with({ mirror: null, uniqueIndexes: { tenant_settings_once: '(tenantId, name)' } })
