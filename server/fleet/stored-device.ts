import { readReport, replacedColumns, reportedValue, type StoredReport } from './report-columns.ts'
import type { DeviceReport } from './tables.ts'
import type { DeviceState } from './device-state.ts'

/** An update of a device, to be stored. */
export interface DeviceUpdate extends DeviceReport {
  id: string
  lastSeen: number
  publicIpV4: string
  publicIpV6: string
  agentMake: string
  /** Key to store for a device without one. */
  key: string | null
  /** Timestamp of a signed update, in ticks. */
  newestUpdate: number | null
  /** Connection of the report, where several servers share the database. */
  claimedBy?: string
}

/** Updates may arrive out of order, and an unsigned update has no timestamp. */
const givenUpdate = "CAST(u.value ->> 'newestUpdate' AS BIGINT)"
const newestUpdate = `newestUpdate =
  max(coalesce(newestUpdate, ${givenUpdate}), coalesce(${givenUpdate}, newestUpdate))`

const assignments = [
  ...replacedColumns.map((column) => `${column} = ${reportedValue(column)}`),
  newestUpdate,
  "publicKey = coalesce(publicKey, u.value ->> 'key')",
].join()

/**
 * Stores the first report of an agent's connection and claims the device for it, where several servers share the database:
 * a connection without the facts of its report would let two machines look like one (T47). The report must be newer than
 * the stored ones: one that was captured on its way to one server is a replay at all others at once, before they have
 * followed it (T13).
 */
export const claimSql = `UPDATE devices SET ${assignments}, connectionId = u.value ->> 'claimedBy'
  FROM jsonb_each(?) AS u
  WHERE devices.id = u.value ->> 'id' AND (publicKey IS NULL OR publicKey = u.value ->> 'key')
    AND (${givenUpdate} IS NULL OR newestUpdate IS NULL OR newestUpdate < ${givenUpdate})
  RETURNING devices.id AS key`

/** Ends a claim, unless another connection has claimed the device meanwhile. */
export const unclaimSql = `UPDATE devices SET connectionId = '', lastSeen = CAST(u.value ->> 'lastSeen' AS BIGINT)
  FROM jsonb_each(?) AS u
  WHERE devices.id = u.value ->> 'id' AND connectionId = u.value ->> 'connectionId' RETURNING devices.id AS key`

/**
 * Ignores the report if the device got another key since it was verified, or if another connection has claimed the
 * device: an old holder cannot speak for it.
 */
export const reportSql = `UPDATE devices SET ${assignments}
  FROM jsonb_each(?) AS u
  WHERE devices.id = u.value ->> 'id' AND (publicKey IS NULL OR publicKey = u.value ->> 'key')
    AND (u.value ->> 'claimedBy' IS NULL OR connectionId = u.value ->> 'claimedBy')
  RETURNING devices.id AS key`

export const lastSeenSql = `UPDATE devices SET lastSeen = CAST(u.value ->> 'lastSeen' AS BIGINT) FROM jsonb_each(?) AS u
  WHERE devices.id = u.value ->> 'id' RETURNING devices.id AS key`

/** A device with its groups and tags as JSON lists. */
export const devicesSql = `SELECT d.id AS key, d.*, (SELECT name FROM customers WHERE id = d.customerId) AS customerName,
    (SELECT json_group_array(groupId) FROM device_group_members WHERE deviceId = d.id) AS groupIds,
    (SELECT json_group_array(tagId) FROM device_tags WHERE deviceId = d.id) AS tagIds
  FROM devices AS d`

export type StoredDevice = Omit<DeviceState, keyof StoredReport | 'groupIds' | 'tagIds'> &
  StoredReport & { key: string; groupIds: string; tagIds: string }

const parsed = ({ key: _, ...row }: StoredDevice): DeviceState => ({
  ...row,
  ...readReport(row),
  groupIds: JSON.parse(row.groupIds) as string[],
  tagIds: JSON.parse(row.tagIds) as string[],
  connectionId: '',
})

/**
 * Makes a reader of rows whose devices share one object layout. V8 stores the members of JSON.parse results and of
 * their copies inside the object; members copied from an SQLite row are stored out of line, which makes a search by
 * load three times slower (`npm run bench -- rest`).
 */
export function deviceReader(): (row: StoredDevice) => DeviceState {
  let first: DeviceState | undefined
  return (row) => {
    const device = parsed(row)
    first ??= JSON.parse(JSON.stringify(device)) as DeviceState
    return { ...first, ...device }
  }
}
