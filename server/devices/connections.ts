import { dayMs, minuteMs } from '../../shared/durations.ts'
import type { AbsenceCause } from '../../shared/dtos/device-absence.ts'
import type { App, OpenCall } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { deleteWhere } from '../engines/database/delete-where.ts'
import { sleepsOf } from '../health/sleeps.ts'
import type { ServerRunRow } from '../health/tables.ts'
import { causeOfEnd } from './absence.ts'
import type { Ending } from './presence.ts'
import type { DeviceConnectionRow } from './tables.ts'

export const connectionsMs = 90 * dayMs
/** Connections that are kept of a device, so that one that reconnects every minute does not fill the disk. */
const keptOfDevice = 2_000
/** Time from the end of a sleep of this computer until every connection that broke meanwhile is noticed. */
const noticedMs = 3 * minuteMs

const connectionBatch = {
  sql: `INSERT INTO device_connections (deviceId, connectedAt, endedAt, cause)
    SELECT devices.id, CAST(u.value ->> 'connectedAt' AS BIGINT), CAST(u.value ->> 'endedAt' AS BIGINT), u.value ->> 'cause'
    FROM jsonb_each(?) AS u JOIN devices ON devices.id = u.value ->> 'deviceId' WHERE true
    ON CONFLICT (deviceId, connectedAt) DO UPDATE SET endedAt = excluded.endedAt, cause = excluded.cause
    RETURNING deviceId AS key`,
  key: ({ deviceId }: DeviceConnectionRow) => deviceId,
  isMirrored: false as const,
  merge: (older: DeviceConnectionRow, newer: DeviceConnectionRow) =>
    older.connectedAt === newer.connectedAt ? newer : undefined,
}

/** Stores a connection. Failures are only logged, because nothing but the timeline depends on it. */
async function store({ database, log }: App, connection: DeviceConnectionRow): Promise<void> {
  try {
    await database.batch(connectionBatch).run(connection)
  } catch (error) {
    log.warn({ err: error, deviceId: connection.deviceId }, 'A connection of a device could not be stored.')
  }
}

export const noteConnected = (app: App, deviceId: string, connectedAt: number): Promise<void> =>
  store(app, { deviceId, connectedAt, endedAt: null, cause: null })

/** Stores the end of a connection; `ending` is undefined for one that this server ended. */
export const noteDisconnected = (
  app: App,
  device: DeviceState,
  connectedAt: number,
  ending: Ending | undefined,
): Promise<void> =>
  store(app, {
    deviceId: device.id,
    connectedAt,
    endedAt: device.lastSeen,
    cause: causeOfEnd(app, device, ending),
  })

/** A device came online, or went offline for a reason. */
export interface ConnectionChange {
  at: number
  isOnline: boolean
  cause: AbsenceCause | null
}

const runAt = (runs: readonly ServerRunRow[], at: number) => runs.findLast(({ startedAt }) => startedAt <= at)

/** Cause as it was stored, unless this server itself was away. */
function causeNow(app: App, run: ServerRunRow | undefined, endedAt: number, cause: AbsenceCause | null): AbsenceCause {
  const isAsleep = sleepsOf(run).some(({ from, to }) => endedAt >= from && endedAt <= to + noticedMs)
  if ((cause === 'vanished' || cause === 'killed') && isAsleep) {
    return 'server-asleep'
  }
  const isOver = run !== undefined && run.startedAt !== app.startedAt && run.aliveUntil - endedAt < minuteMs
  return cause === 'server-ended' && isOver ? 'server-down' : (cause ?? 'unknown')
}

/** The connections of a device since a time as changes, newest first. */
export async function connectionChanges(app: App, device: DeviceState, since: number): Promise<ConnectionChange[]> {
  const rows = await app.database.all<DeviceConnectionRow>(
    `SELECT * FROM device_connections WHERE deviceId = ? AND ifnull(endedAt, connectedAt) >= ? ORDER BY connectedAt`,
    [device.id, since],
  )
  const runs = await app.models.ServerRun.findAll({ order: ['startedAt'], raw: true })
  const changes = rows.flatMap(({ connectedAt, endedAt, cause }, index): ConnectionChange[] => {
    const online = { at: connectedAt, isOnline: true, cause: null }
    if (endedAt !== null) {
      const why = causeNow(app, runAt(runs, endedAt), endedAt, cause)
      return [online, { at: endedAt, isOnline: false, cause: why }]
    }
    // Without a noted end the server was killed, or the device came back on another connection before.
    const run = runAt(runs, connectedAt)
    const next = rows[index + 1]?.connectedAt ?? Infinity
    return run === undefined || run.startedAt === app.startedAt
      ? [online]
      : [online, { at: Math.min(run.aliveUntil, next), isOnline: false, cause: 'server-down' }]
  })
  return changes.filter(({ at }) => at >= since).toReversed()
}

/** Deletes connections past their time, and all but the newest of devices that have very many. */
export async function removeOldConnections({ app }: OpenCall): Promise<void> {
  await deleteWhere(app, 'device_connections', 'connectedAt < ?', app.retentionClock.now() - connectionsMs)
  await deleteWhere(
    app,
    'device_connections',
    `deviceId IN (SELECT deviceId FROM device_connections GROUP BY deviceId HAVING count(*) > ${keptOfDevice})
     AND connectedAt < (
       SELECT connectedAt FROM device_connections AS kept WHERE kept.deviceId = device_connections.deviceId
       ORDER BY connectedAt DESC LIMIT 1 OFFSET ${keptOfDevice - 1}
     )`,
  )
}
