import { dayMs, hourMs, weekMs } from '../../shared/durations.ts'
import type { AlertCondition } from '../../shared/dtos/alert-rule.ts'
import type { App } from '../call/call.ts'
import { blockOf } from '../devices/load-recording.ts'
import { sampleOf, slotMs, slotsPerHour, type LoadRow } from '../devices/presence.ts'
import type { DeviceLoadRow } from '../devices/tables.ts'
import type { ProgramEventRow } from '../events/tables.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { inSlices } from '../ground/clock.ts'
import { byHour, hoursKept, levels, unknown } from '../history/device-history.ts'
import { diskForecasts } from '../history/forecast.ts'
import { forecastDetail } from './checks.ts'

/** Loads are kept for a day. */
const loadsMs = dayMs
/** Rows of history that are read for one preview. */
export const maxRows = 20_000

/** Something that a rule would have told. */
export interface Found {
  at: number
  /** When the cause began. */
  since: number
  /** Undefined for what is not about a device. */
  device: DeviceState | undefined
  name: string
  detail: string | null
}

export interface Past {
  from: number
  found: Found[]
  isComplete: boolean
}

type Devices = ReadonlyMap<string, DeviceState>

export const nameOf = ({ name, alias }: DeviceState) => alias || name

type Presence = Pick<ProgramEventRow, 'at' | 'kind'> & { deviceId: string }

/** Times in which devices were offline for long enough. Absences that a person wanted are not told apart. */
export async function absences(
  app: App,
  tenantId: string,
  devices: Devices,
  minutes: number,
  isBack: boolean,
): Promise<Past> {
  const now = app.clock.now()
  const from = now - weekMs
  const rows = await app.database.all<Presence>(
    `SELECT deviceId, at, kind FROM program_events INDEXED BY program_events_of_presence
     WHERE kind IN ('device.online', 'device.offline') AND deviceId IN (SELECT value FROM json_each(?)) AND at >= ?
     AND tenantId = ? ORDER BY deviceId, id LIMIT ${maxRows + 1}`,
    [JSON.stringify([...devices.keys()]), from, tenantId],
  )
  const isComplete = rows.length <= maxRows
  // The last device may have come back in a row that was not read.
  const cutDevice = isComplete ? undefined : rows.at(-1)!.deviceId
  const left = new Map<string, number>()
  const found: Found[] = []
  const away = (deviceId: string, until: number, isOver: boolean) => {
    const since = left.get(deviceId)
    const device = devices.get(deviceId)!
    if (since !== undefined && until - since >= minutes * 60_000 && isBack === isOver) {
      found.push({ at: isBack ? until : since + minutes * 60_000, since, device, name: nameOf(device), detail: null })
    }
  }
  for await (const { deviceId, at, kind } of inSlices(rows.filter((row) => row.deviceId !== cutDevice))) {
    if (kind === 'device.offline') {
      left.set(deviceId, at)
    } else {
      away(deviceId, at, true)
      if (!isBack) {
        away(deviceId, at, false)
      }
      left.delete(deviceId)
    }
  }
  if (!isBack) {
    left.forEach((_, deviceId) => away(deviceId, now, false))
  }
  return { from, found, isComplete }
}

type Lasting = Extract<AlertCondition, { percent: number }>

const rowOfKind: Partial<Record<AlertCondition['kind'], LoadRow>> = { 'device-memory': 'memory', 'device-load': 'cpu' }

/** Times in which a stored load was above a limit for long enough. */
export async function loads(app: App, devices: Devices, { kind, percent, minutes }: Lasting): Promise<Past> {
  const from = app.clock.now() - loadsMs
  const row = rowOfKind[kind]!
  const stored = await app.database.all<DeviceLoadRow>(
    `SELECT deviceId, hour, samples FROM device_loads WHERE deviceId IN (SELECT value FROM json_each(?)) AND hour >= ?
     ORDER BY deviceId, hour LIMIT ${maxRows + 1}`,
    [JSON.stringify([...devices.keys()]), Math.floor(from / hourMs)],
  )
  const needed = Math.max(1, Math.ceil((minutes * 60_000) / slotMs))
  const found: Found[] = []
  let last = { deviceId: '', above: 0 }
  for await (const load of inSlices(stored)) {
    const { deviceId, hour } = load
    const block = blockOf(load)
    last = last.deviceId === deviceId ? last : { deviceId, above: 0 }
    for (let slot = 0; slot < slotsPerHour; slot++) {
      const value = sampleOf(block, row, slot)
      last.above = value !== undefined && value > percent ? last.above + 1 : 0
      const device = devices.get(deviceId)
      if (last.above === needed && device) {
        const at = hour * hourMs + (slot + 1) * slotMs
        found.push({ at, since: at - needed * slotMs, device, name: nameOf(device), detail: `${value}%` })
      }
    }
  }
  return { from, found, isComplete: stored.length <= maxRows }
}

/** Hours at whose ends the storage of a device was above a limit for long enough. */
export async function fullStorages(app: App, devices: Devices, { percent, minutes }: Lasting): Promise<Past> {
  const { histories, clock } = app
  const from = clock.now() - weekMs
  const needed = Math.max(1, Math.ceil((minutes * 60_000) / hourMs))
  const samples = new Uint8Array(hoursKept)
  const found: Found[] = []
  const { hour } = histories
  for await (const device of inSlices(hour === undefined ? [] : devices.values())) {
    const history = histories.get(device.id)
    const disk = history?.disks.indexOf(systemDisk(device)) ?? -1
    if (!history || hour === undefined || disk < 0) {
      continue
    }
    history.copy({ disk }, byHour, hour, samples)
    let above = 0
    samples.forEach((sample, index) => {
      above = sample !== unknown && sample * 100 > percent * levels ? above + 1 : 0
      if (above === needed) {
        const at = (hour + 1 - (hoursKept - 1 - index)) * hourMs
        const detail = `${Math.round((sample * 100) / levels)}%`
        found.push({ at, since: at - needed * hourMs, device, name: nameOf(device), detail })
      }
    })
  }
  return { from, found, isComplete: true }
}

/** Path of the disk whose use is the storage of a device. */
const systemDisk = ({ drives, totalStorage }: DeviceState) => {
  const drive = drives.find(({ totalSize }) => totalSize === totalStorage)
  return drive ? drive.rootDirectory || drive.name : ''
}

/** Days on which a disk of a device was first forecast to be full soon. */
export async function forecasts(
  app: App,
  devices: Devices,
  condition: Extract<AlertCondition, { kind: 'device-disk-forecast' }>,
): Promise<Past> {
  const { histories, clock } = app
  const from = clock.now() - weekMs
  const found: Found[] = []
  for await (const device of inSlices(histories.hour === undefined ? [] : devices.values())) {
    let wasFound = true
    for (let hour = histories.hour! - hoursKept; hour <= histories.hour!; hour += dayMs / hourMs) {
      const at = (hour + 1) * hourMs
      const detail = forecastDetail(diskForecasts(app, device.id, hour), condition, at)
      if (detail !== undefined && !wasFound) {
        found.push({ at, since: at, device, name: nameOf(device), detail })
      }
      wasFound = detail !== undefined
    }
  }
  return { from, found, isComplete: true }
}
