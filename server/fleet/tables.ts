import type { DeviceUpdateRequestDto } from '../../shared/dtos/device.ts'
import {
  defineTable,
  integer,
  integerOrNull,
  key,
  references,
  type RowOf,
  text,
  textOrNull,
} from '../engines/database/table.ts'
import { replacedColumns, reportAttributes } from './report-columns.ts'

/** Report of an agent, as stored. */
export type DeviceReport = Omit<DeviceUpdateRequestDto, 'id' | 'tenantId'>

export const Device = defineTable('devices', {
  id: key(),
  tenantId: references('tenants'),
  createdAt: integer(),
  lastSeen: integer(),
  alias: textOrNull(),
  /** Base64 of the 32 raw Ed25519 bytes. */
  publicKey: textOrNull(),
  publicIpV4: text(''),
  publicIpV6: text(''),
  customerId: references('customers', textOrNull(), 'SET NULL'),
  /** Newest timestamp of an accepted update, in ticks of `readTicks`. */
  newestUpdate: integerOrNull(),
  /** Make claimed by the agent; empty if not named, null before its first report. */
  agentMake: textOrNull(),
  /** Connection of the agent, whose id names its server; empty when offline, and on a server alone. */
  connectionId: text(''),
  ...reportAttributes,
}).with({
  mirror: { key: 'id', followedByCaller: [...replacedColumns, 'newestUpdate'] },
  indexes: { devices_by_customer: '(customerId)', devices_by_tenant: '(tenantId)' },
})
/** A device as stored. A server alone does not store presence: connections are known only while it runs. */
export type DeviceRow = RowOf<typeof Device>

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
