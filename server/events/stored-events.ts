import type { ProgramEventRow } from './tables.ts'

export type NewEvent = Pick<ProgramEventRow, 'at' | 'kind' | 'tenantId' | 'data'> &
  Partial<Pick<ProgramEventRow, 'deviceId' | 'subject' | 'actorId' | 'place'>>

/**
 * A restored backup continues with ids past all that its readers may have seen from the server before it: otherwise
 * they would miss the events that get these ids again.
 */
const gapOfRestore = 1_000_000_000

/** Stores a JSON array of events. */
export const insertEvents = `INSERT INTO program_events
    (id, at, kind, tenantId, deviceId, subject, actorId, place, data)
  SELECT (SELECT ifnull(max(id), 0) FROM program_events) + row_number() OVER (ORDER BY u.key)
      + CASE u.value ->> 'kind' WHEN 'server.restored' THEN ${gapOfRestore} ELSE 0 END,
    CAST(u.value ->> 'at' AS BIGINT), u.value ->> 'kind', u.value ->> 'tenantId', u.value ->> 'deviceId', u.value ->> 'subject',
    u.value ->> 'actorId', u.value ->> 'place', u.value ->> 'data'
  FROM jsonb_each(?) AS u ORDER BY u.key RETURNING id AS key`

export const newestEvent = 'SELECT max(id) AS id FROM program_events'

/**
 * Devices that were connected when the server was killed, among those seen since the time `?1`. A device that was
 * connected for longer than events are kept has none of them.
 */
export const stillOnline = `SELECT id, tenantId, name, alias, lastSeen FROM devices WHERE lastSeen >= ?1 AND ifnull((
  SELECT e.kind FROM program_events AS e
  WHERE e.deviceId = devices.id AND e.kind IN ('device.online', 'device.offline') ORDER BY e.id DESC LIMIT 1
), iif(createdAt < ?1, 'device.online', '')) = 'device.online'`

/** Ids of the oldest events, up to the first that is still kept; the newest row always stays. */
export const oldEvents = `SELECT id FROM program_events WHERE id < (SELECT max(id) FROM program_events)
  AND id < ifnull((SELECT id FROM program_events WHERE at >= ? ORDER BY id LIMIT 1), 9000000000000000) ORDER BY id LIMIT ?`
