import type { DeviceUpdateRequestDto } from '../../shared/dtos/device.ts'
import { defineTable, type RowOf } from '../engines/database/table.ts'
import * as t from '../engines/database/table.ts'
import { replacedColumns, reportAttributes } from './report-columns.ts'

/** Report of an agent, as stored. */
export type DeviceReport = Omit<DeviceUpdateRequestDto, 'id' | 'tenantId'>

export const Device = defineTable('devices', {
  id: t.key(),
  tenantId: t.references('tenants'),
  createdAt: t.integer(),
  lastSeen: t.integer(),
  alias: t.textOrNull(),
  /** Base64 of the 32 raw Ed25519 bytes. */
  publicKey: t.textOrNull(),
  publicIpV4: t.text(''),
  publicIpV6: t.text(''),
  customerId: t.references('customers', t.textOrNull(), 'SET NULL'),
  /** Newest timestamp of an accepted update, in ticks of `readTicks`. */
  newestUpdate: t.integerOrNull(),
  /** Make claimed by the agent; empty if not named, null before its first report. */
  agentMake: t.textOrNull(),
  /** Connection of the agent, whose id names its server; empty when offline, and on a server alone. */
  connectionId: t.text(''),
  ...reportAttributes,
}).with({
  mirror: { key: 'id', followedByCaller: [...replacedColumns, 'newestUpdate'] },
  indexes: { devices_by_customer: '(customerId)', devices_by_tenant: '(tenantId)' },
})
/** A device as stored. A server alone does not store presence: connections are known only while it runs. */
export type DeviceRow = RowOf<typeof Device>

export const DeviceStar = defineTable('device_stars', {
  userId: t.references('users', t.key()),
  deviceId: t.references('devices', t.key()),
}).with({ mirror: null, indexes: { device_stars_device: '(deviceId)' } })

export const DeviceView = defineTable('device_views', {
  id: t.key(),
  tenantId: t.references('tenants'),
  /** Null: shared with the tenant. */
  userId: t.references('users', t.textOrNull()),
  name: t.text(),
  query: t.text(),
  sort: t.text(),
  authorName: t.text(),
  createdAt: t.integer(),
}).with({ mirror: null, indexes: { device_views_tenant: '(tenantId, userId)', device_views_user: '(userId)' } })
export type DeviceViewRow = RowOf<typeof DeviceView>
