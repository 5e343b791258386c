import { defineTable, integer, key, references, type RowOf, text, textOrNull } from '../database/table.ts'

export const DeviceStar = defineTable('device_stars', {
  userId: references('users', key()),
  deviceId: references('devices', key()),
}).with({ mirror: null, indexes: { device_stars_device: '(deviceId)' } })

export const DeviceView = defineTable('device_views', {
  id: key(),
  tenantId: references('tenants'),
  /** Null: shared with the tenant. */
  userId: references('users', textOrNull()),
  name: text(),
  query: text(),
  sort: text(),
  authorName: text(),
  createdAt: integer(),
}).with({ mirror: null, indexes: { device_views_tenant: '(tenantId, userId)', device_views_user: '(userId)' } })
export type DeviceViewRow = RowOf<typeof DeviceView>
