import type { DeviceReport, DeviceRow } from '../../models/device.ts'
import type { DeviceState } from './device-state.ts'

/** One device report on its way into the database. */
export interface StoredReport extends DeviceReport {
  id: string
  lastSeen: number
  publicIpV4: string
  publicIpV6: string
  /** To store for a device that has none. */
  key: string | null
}

/** Columns that a report sets, as SQL over one JSON object `u.value`. */
export const reportedColumns = [
  'lastSeen',
  'publicIpV4',
  'publicIpV6',
  'name',
  'agentVersion',
  'is64Bit',
  'osArchitecture',
  'osDescription',
  'platform',
  'processorCount',
  'cpuUtilization',
  'totalMemory',
  'totalStorage',
  'usedMemory',
  'usedStorage',
  'currentUsers',
  'macAddresses',
  'localIpV4',
  'localIpV6',
  'drives',
  'dnsHostName',
] as const satisfies readonly (keyof StoredReport)[]

const assignments = reportedColumns.map((column) => `${column} = u.value ->> '${column}'`)

export const reportSql = `UPDATE devices SET ${assignments.join()}, publicKey = coalesce(publicKey, u.value ->> 'key')
  FROM jsonb_each(?) AS u WHERE devices.id = u.value ->> 'id' RETURNING devices.id AS key`

export const lastSeenSql = `UPDATE devices SET lastSeen = u.value ->> 'lastSeen' FROM jsonb_each(?) AS u
  WHERE devices.id = u.value ->> 'id' RETURNING devices.id AS key`

/** A device with what it belongs to, lists as JSON. */
export const devicesSql = `SELECT d.id AS key, d.*, (SELECT name FROM customers WHERE id = d.customerId) AS customerName,
    (SELECT json_group_array(groupId) FROM device_group_members WHERE deviceId = d.id) AS groupIds,
    (SELECT json_group_array(tagId) FROM device_tags WHERE deviceId = d.id) AS tagIds
  FROM devices AS d`

type Lists = 'currentUsers' | 'macAddresses' | 'drives' | 'groupIds' | 'tagIds'

export type StoredDevice = Omit<DeviceState, 'is64Bit' | 'connectionId' | Lists> &
  Record<Lists, string> & { key: string; is64Bit: number }

export const parsed = ({ key: _, ...row }: StoredDevice): DeviceState => ({
  ...row,
  is64Bit: row.is64Bit === 1,
  currentUsers: JSON.parse(row.currentUsers) as string[],
  macAddresses: JSON.parse(row.macAddresses) as string[],
  drives: JSON.parse(row.drives) as DeviceRow['drives'],
  groupIds: JSON.parse(row.groupIds) as string[],
  tagIds: JSON.parse(row.tagIds) as string[],
  connectionId: '',
})
