import { chunksOf } from '../../shared/chunks.ts'
import { hourMs, minuteMs } from '../../shared/durations.ts'
import type { App } from '../call/call.ts'
import { blockOf } from '../devices/load-recording.ts'
import { hourOf, sampleOf, slotsPerHour, type LoadBlock, type LoadRow } from '../devices/presence.ts'
import type { DeviceLoadRow } from '../devices/tables.ts'
import { serverTime } from '../devices/server-time.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { inSlices, TimeSlice } from '../ground/clock.ts'
import { DeviceHistory, hoursPerStep, stepsKept, type HourShares } from './device-history.ts'
import type { StoredHistoryRow } from './tables.ts'

/** Devices read or stored together: a few milliseconds of the writer. */
const together = 200
const hoursOfHistory = stepsKept * hoursPerStep

/** Parts of the server from which histories are made. */
export type HistoryApp = Pick<
  App,
  'clock' | 'database' | 'fleet' | 'histories' | 'models' | 'presence' | 'retentionClock' | 'servers'
>

type Ran = (from: number, to: number) => number

const store = {
  sql: `INSERT INTO device_histories (deviceId, hour, disks, samples)
    SELECT devices.id, CAST(u.value ->> 'hour' AS BIGINT), u.value ->> 'disks', u.value ->> 'samples'
    FROM jsonb_each(?) AS u JOIN devices ON devices.id = u.value ->> 'deviceId' WHERE true
    ON CONFLICT (deviceId) DO UPDATE SET hour = excluded.hour, disks = excluded.disks, samples = excluded.samples
    RETURNING deviceId AS key`,
  key: ({ deviceId }: StoredHistoryRow) => deviceId,
  isMirrored: false as const,
}

function meanOf(block: LoadBlock, row: LoadRow): number | undefined {
  let sum = 0
  let known = 0
  for (let slot = 0; slot < slotsPerHour; slot++) {
    const sample = sampleOf(block, row, slot)
    sum += sample ?? 0
    known += sample === undefined ? 0 : 1
  }
  return known === 0 ? undefined : sum / known / 100
}

function onlineMinutes(block: LoadBlock): number {
  let sum = 0
  for (let slot = 0; slot < slotsPerHour; slot++) {
    sum += sampleOf(block, 'onlineMinutes', slot) ?? 0
  }
  return sum
}

/** Used shares of the disks as last reported; of an agent that reports no drives, the system drive under ''. */
export function disksOf({ drives, usedStorage, totalStorage }: DeviceState): Map<string, number> {
  const disks = drives
    .filter(({ totalSize }) => totalSize > 0)
    .map(
      ({ rootDirectory, name, totalSize, freeSpace }) =>
        [rootDirectory || name, (totalSize - freeSpace) / totalSize] as const,
    )
  return new Map(disks.length === 0 && totalStorage > 0 ? [['', usedStorage / totalStorage]] : disks)
}

const noDisks: ReadonlyMap<string, number> = new Map()

/** Shares of an hour; `isNewest` if the last report of the device belongs to this hour. */
function sharesOf(
  device: DeviceState,
  hour: number,
  block: LoadBlock | undefined,
  ran: Ran,
  isNewest: boolean,
): HourShares {
  const ranMinutes = ran(Math.max(hour * hourMs, device.createdAt), (hour + 1) * hourMs) / minuteMs
  if (!block) {
    const online = ranMinutes < 1 ? undefined : 0
    return { online, cpu: undefined, memory: undefined, disks: noDisks }
  }
  const cpu = meanOf(block, 'cpu')
  return {
    online: Math.min(1, onlineMinutes(block) / Math.max(1, ranMinutes)),
    cpu,
    memory: meanOf(block, 'memory'),
    disks: isNewest && cpu !== undefined ? disksOf(device) : noDisks,
  }
}

/** Stores the histories of devices up to the hour. */
async function storeHistories(
  { database, histories }: HistoryApp,
  ids: readonly string[],
  hour: number,
): Promise<void> {
  const batch = database.batch(store)
  const slice = new TimeSlice()
  for (const some of chunksOf(ids, together)) {
    const rows = some.flatMap((deviceId) => {
      const history = histories.get(deviceId)
      return history
        ? {
            deviceId,
            hour,
            disks: JSON.stringify(history.disks),
            samples: Buffer.from(history.samples).toString('base64'),
          }
        : []
    })
    await Promise.all(rows.map((row) => batch.run(row)))
    await slice.yield()
  }
}

function opened(row: StoredHistoryRow | undefined): DeviceHistory | undefined {
  if (!row) {
    return undefined
  }
  const history = new DeviceHistory(
    JSON.parse(row.disks) as string[],
    new Uint8Array(Buffer.from(row.samples, 'base64')),
  )
  return history.isWhole ? history : undefined
}

/** Loads of hours that are not in the stored history: the server stopped before it rolled them up. */
const missingLoads = `SELECT l.deviceId, l.hour, l.samples FROM device_loads AS l
  LEFT JOIN device_histories AS h ON h.deviceId = l.deviceId
  WHERE l.deviceId IN (SELECT value FROM json_each(?1)) AND l.hour <= ?2 AND l.hour > ifnull(h.hour, 0)`
const storedRows = 'SELECT * FROM device_histories WHERE deviceId IN (SELECT value FROM json_each(?))'

/** Reads the stored histories, and adds the hours up to `last`. */
async function load(app: HistoryApp): Promise<void> {
  const { database, histories, fleet, retentionClock } = app
  const last = hourOf(retentionClock.now()) - 1
  const ran = await serverTime(app, (last - hoursOfHistory) * hourMs)
  const all = [...fleet.all].map(({ id }) => id)
  for (const ids of chunksOf(all, together)) {
    const json = JSON.stringify(ids)
    const rows = new Map((await database.all<StoredHistoryRow>(storedRows, [json])).map((row) => [row.deviceId, row]))
    const missing = await database.all<DeviceLoadRow>(missingLoads, [json, last])
    const loads = Map.groupBy(missing, ({ deviceId }) => deviceId)
    const changed: string[] = []
    for await (const id of inSlices(ids)) {
      const device = fleet.get(id)
      const row = rows.get(id)
      const known = opened(row)
      const blocks = new Map((loads.get(id) ?? []).map((stored) => [stored.hour, blockOf(stored)]))
      if (!device || (!known && blocks.size === 0)) {
        continue
      }
      const first = known ? row!.hour + 1 : Math.min(...blocks.keys())
      const history = known ?? new DeviceHistory()
      const newest = Math.max(...blocks.keys())
      for (let hour = Math.max(first, last - hoursOfHistory); hour <= last; hour++) {
        const isNewest = hour === newest && hourOf(device.lastSeen) === hour
        history.setHour(hour, sharesOf(device, hour, blocks.get(hour), ran, isNewest))
      }
      histories.set(id, history)
      if (blocks.size > 0) {
        changed.push(id)
      }
    }
    await storeHistories(app, changed, last)
  }
  histories.hour = last
}

/** Loads the histories unless they are. */
export const openHistories = (app: HistoryApp): Promise<void> => app.histories.open(() => load(app))

/** Adds an hour to the histories of all devices. */
async function addHour(app: HistoryApp, hour: number, blocks: ReadonlyMap<string, LoadBlock>, ran: Ran): Promise<void> {
  const { histories, fleet } = app
  for await (const id of inSlices(new Set([...histories.ids(), ...blocks.keys()]))) {
    const device = fleet.get(id)
    if (device) {
      const history = histories.get(id) ?? new DeviceHistory()
      histories.set(id, history)
      history.setHour(hour, sharesOf(device, hour, blocks.get(id), ran, true))
    }
  }
  histories.hour = hour
}

/** Time after an hour by which each of several servers has stored the loads of its devices. */
const storedByMs = 6 * minuteMs

/** Loads of hours as all servers have stored them: each server has those of its own devices in memory. */
async function storedBlocks({ database }: HistoryApp, first: number, end: number): Promise<LoadBlock[]> {
  const sql = 'SELECT deviceId, hour, samples FROM device_loads WHERE hour >= ? AND hour < ?'
  return (await database.all<DeviceLoadRow>(sql, [first, end])).map(blockOf)
}

/** Adds the hours that are over to the histories of the devices, and stores those of the devices that were there. */
export async function rollUp({ app }: { app: HistoryApp }): Promise<void> {
  const { histories, presence, clock, retentionClock, servers } = app
  await openHistories(app)
  const isShared = servers.id !== ''
  const hour = hourOf(isShared ? clock.now() - storedByMs : clock.now())
  if (retentionClock.doubt) {
    // A clock far ahead would overwrite the whole rings: the hours until it is corrected or followed stay unknown.
    presence.takeFinished(hour)
    histories.hasGap = true
    return
  }
  // After the clock was set back, hours are added again from there on.
  const first = Math.min(histories.hour ?? hour, hour - 1) + 1
  histories.hour = first - 1
  if (first === hour) {
    return
  }
  const ran = histories.hasGap ? () => 0 : await serverTime(app, first * hourMs)
  histories.hasGap = false
  const own = presence.takeFinished(hour)
  const taken = isShared ? await storedBlocks(app, first, hour) : own
  const finished = Map.groupBy(taken, (block) => block.hour)
  for (let each = Math.max(first, hour - hoursOfHistory); each < hour; each++) {
    const blocks = new Map((finished.get(each) ?? []).map((block) => [block.deviceId, block]))
    await addHour(app, each, blocks, ran)
  }
  if (!servers.hasWork) {
    return
  }
  // A write that fails is made up for by that of the next hour: a row holds the whole history.
  await storeHistories(app, [...new Set(taken.map(({ deviceId }) => deviceId))], hour - 1)
}
