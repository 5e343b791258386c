import {
  caseless,
  defineTable,
  integer,
  integerOrNull,
  key,
  references,
  type RowOf,
  text,
  textOrNull,
} from '../engines/database/table.ts'

export const Customer = defineTable('customers', {
  id: key(),
  tenantId: references('tenants'),
  name: caseless(),
  description: textOrNull(),
  notes: textOrNull(),
  createdAt: integer(),
}).with({ mirror: { key: 'id' }, uniqueIndexes: { customers_once: '(tenantId, name)' } })
export type CustomerRow = RowOf<typeof Customer>

export const CustomerContact = defineTable('customer_contacts', {
  id: key(),
  customerId: references('customers'),
  /** Order in the list, from 0. */
  place: integer(),
  name: text(),
  role: text(),
  email: text(),
  phone: text(),
}).with({ mirror: null, indexes: { customer_contacts_customer: '(customerId, place)' } })
export type CustomerContactRow = RowOf<typeof CustomerContact>

export const CustomerParent = defineTable('customer_parents', {
  customerId: references('customers', key()),
  parentId: references('customers'),
}).with({ mirror: null, indexes: { customer_parents_parent: '(parentId)' } })
export type CustomerParentRow = RowOf<typeof CustomerParent>

export const DeviceGroup = defineTable('device_groups', {
  id: key(),
  tenantId: references('tenants'),
  name: caseless(),
  description: textOrNull(),
  createdAt: integer(),
}).with({ mirror: null, uniqueIndexes: { device_groups_once: '(tenantId, name)' } })
export type DeviceGroupRow = RowOf<typeof DeviceGroup>

export const DeviceGroupMember = defineTable('device_group_members', {
  groupId: references('device_groups', key()),
  deviceId: references('devices', key()),
}).with({ mirror: { key: 'deviceId' }, indexes: { device_group_members_by_device: '(deviceId)' } })

export const UserGroup = defineTable('user_groups', {
  id: key(),
  tenantId: references('tenants'),
  name: caseless(),
  description: textOrNull(),
  createdAt: integer(),
}).with({ mirror: null, uniqueIndexes: { user_groups_once: '(tenantId, name)' } })
export type UserGroupRow = RowOf<typeof UserGroup>

export const UserGroupMember = defineTable('user_group_members', {
  groupId: references('user_groups', key()),
  userId: references('users', key()),
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: references('personal_access_tokens', textOrNull()),
}).with({
  mirror: { key: 'userId' },
  indexes: {
    user_group_members_by_maker: '(madeWith) WHERE madeWith IS NOT NULL',
    user_group_members_by_user: '(userId)',
  },
})

export const Tenant = defineTable('tenants', {
  id: key(),
  name: text(),
  createdAt: integer(),
  /** Time from which people need a second factor; null while none is required. */
  secondFactorFrom: integerOrNull(),
}).with({ mirror: { key: 'id' } })
export type TenantRow = RowOf<typeof Tenant>

export const TenantSetting = defineTable('tenant_settings', {
  id: key(),
  tenantId: references('tenants'),
  name: text(),
  value: text(),
}).with({ mirror: null, uniqueIndexes: { tenant_settings_once: '(tenantId, name)' } })
