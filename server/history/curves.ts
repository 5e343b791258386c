import { hourMs } from '../../shared/durations.ts'
import type { DeviceHistoryDto, FleetHistoryDto, HistoryRange } from '../../shared/dtos/history.ts'
import { loadOf } from '../devices/recent-load.ts'
import { hourOf } from '../devices/presence.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { TimeSlice } from '../ground/clock.ts'
import { instant, instantOrNull } from '../ground/instant.ts'
import { byHour, byStep, levels, unknown, type DeviceHistory, type HistoryRow } from './device-history.ts'
import { diskForecasts } from './forecast.ts'
import { disksOf, openHistories, type HistoryApp } from './roll-up.ts'
import type { App } from '../call/call.ts'
import type { DeviceList } from '../fleet/device-list.ts'
import { withSites } from '../organization/customer-sites.ts'

interface Selection {
  customerId?: string | undefined
  tagId?: string | undefined
}

/** Devices of a customer with its sites and with a tag, of those that the caller can read. */
export async function selectedDevices(
  app: App,
  devices: DeviceList,
  { customerId, tagId }: Selection,
): Promise<Iterable<DeviceState>> {
  if (customerId === undefined && tagId === undefined) {
    return devices
  }
  const customerIds = customerId === undefined ? undefined : await withSites(app, customerId)
  return [...devices].filter(
    (device) =>
      (!customerIds || (device.customerId !== null && customerIds.has(device.customerId))) &&
      (tagId === undefined || device.tagIds.includes(tagId)),
  )
}

const ranges = {
  day: { resolution: byHour, length: 24 },
  week: { resolution: byHour, length: byHour.samples },
  quarter: { resolution: byStep, length: byStep.samples },
} as const

/** Devices added between two checks of the time slice. */
const devicesPerCheck = 64

/** Samples of one row after the other, up to the present: the last one is live, and not in the history yet. */
class Reader {
  readonly samples: Uint8Array
  readonly stepMs: number
  readonly start: number
  readonly #resolution: typeof byHour
  readonly #hour: number
  /** Samples at the end that belong to hours that are not rolled up. */
  readonly #missing: number

  constructor({ clock, histories }: HistoryApp, range: HistoryRange) {
    const { resolution, length } = ranges[range]
    this.#resolution = resolution
    this.#hour = hourOf(clock.now())
    this.samples = new Uint8Array(length)
    this.stepMs = resolution.hours * hourMs
    const newest = Math.floor(this.#hour / resolution.hours)
    this.start = (newest - length + 1) * this.stepMs
    const known = Math.floor((histories.hour ?? 0) / resolution.hours)
    this.#missing = Math.min(length, Math.max(1, newest - known))
  }

  read(
    history: DeviceHistory | undefined,
    row: HistoryRow | { disk: number },
    present: number | undefined,
  ): Uint8Array {
    const { samples } = this
    if (history) {
      history.copy(row, this.#resolution, this.#hour, samples)
      samples.fill(unknown, samples.length - this.#missing)
    } else {
      samples.fill(unknown)
    }
    samples[samples.length - 1] =
      present === undefined ? unknown : Math.round(Math.min(1, Math.max(0, present)) * levels)
    return samples
  }
}

/** Present shares of a device: the last point of each curve. */
function presentOf(device: DeviceState) {
  const isOnline = device.connectionId !== ''
  return {
    online: isOnline ? 1 : 0,
    cpu: isOnline ? device.cpuUtilization : undefined,
    memory: isOnline && device.totalMemory > 0 ? device.usedMemory / device.totalMemory : undefined,
  }
}

/** Used share of the fullest disk; undefined without one. */
function fullestNow({ drives, usedStorage, totalStorage }: DeviceState): number | undefined {
  let fullest: number | undefined
  for (const { totalSize, freeSpace } of drives) {
    if (totalSize > 0) {
      fullest = Math.max(fullest ?? 0, (totalSize - freeSpace) / totalSize)
    }
  }
  return fullest ?? (totalStorage > 0 ? usedStorage / totalStorage : undefined)
}

const sharesIn = (samples: Uint8Array) => Array.from(samples, (sample) => (sample === unknown ? null : sample / levels))

/** History of a device. The last day has slots of five minutes, as recorded; its disks are known by the hour. */
export async function deviceHistory(
  app: HistoryApp,
  device: DeviceState,
  range: HistoryRange,
): Promise<DeviceHistoryDto> {
  await openHistories(app)
  const history = app.histories.get(device.id)
  const reader = new Reader(app, range)
  const present = presentOf(device)
  const presentDisks = device.connectionId === '' ? undefined : disksOf(device)
  const forecasts = new Map(diskForecasts(app, device.id).map(({ disk, fullAt }) => [disk, fullAt]))
  const names = [...new Set([...(history?.disks ?? []), ...(presentDisks?.keys() ?? [])])]
  const disks = names
    .map((name) => {
      const disk = history?.disks.indexOf(name) ?? -1
      const samples = reader.read(disk < 0 ? undefined : history, { disk }, presentDisks?.get(name))
      const fullAt = forecasts.get(name) ?? null
      return { name, used: sharesIn(samples), fullAt: instantOrNull(fullAt) }
    })
    .filter(({ used }) => used.some((share) => share !== null))
  if (range === 'day') {
    const { slotMs, ...load } = await loadOf(app, device)
    const slotAt = (slot: number) => Math.floor((Date.parse(load.start) + slot * slotMs - reader.start) / hourMs)
    const bySlot = (used: (number | null)[]) => load.online.map((_, slot) => used[Math.max(0, slotAt(slot))] ?? null)
    return { stepMs: slotMs, ...load, disks: disks.map((disk) => ({ ...disk, used: bySlot(disk.used) })) }
  }
  const curve = (row: HistoryRow) => sharesIn(reader.read(history, row, present[row]))
  return {
    stepMs: reader.stepMs,
    start: instant(reader.start),
    online: curve('online'),
    cpu: curve('cpu'),
    memory: curve('memory'),
    disks,
  }
}

class Sums {
  readonly sums: Uint32Array
  readonly known: Uint32Array

  constructor(length: number) {
    this.sums = new Uint32Array(length)
    this.known = new Uint32Array(length)
  }

  add(samples: Uint8Array): void {
    const { sums, known } = this
    for (let index = 0; index < samples.length; index++) {
      const sample = samples[index]!
      if (sample !== unknown) {
        sums[index]! += sample
        known[index]!++
      }
    }
  }

  means(): (number | null)[] {
    return Array.from(this.sums, (sum, index) => {
      const known = this.known[index]!
      return known === 0 ? null : Math.round((1_000 * sum) / levels / known) / 1_000
    })
  }

  /** Sums of the shares, such as the mean number of devices online; null without any known share. */
  totals(): (number | null)[] {
    return Array.from(this.sums, (sum, index) =>
      this.known[index] === 0 ? null : Math.round((10 * sum) / levels) / 10,
    )
  }
}

/** Devices online, and means of their loads. Yields, because thousands of devices take longer than a time slice. */
export async function fleetHistory(
  app: HistoryApp,
  devices: Iterable<DeviceState>,
  range: HistoryRange,
): Promise<FleetHistoryDto> {
  await openHistories(app)
  const reader = new Reader(app, range)
  const { length } = reader.samples
  const [online, cpu, memory, disk] = [new Sums(length), new Sums(length), new Sums(length), new Sums(length)]
  const fullest = new Uint8Array(length)
  const slice = new TimeSlice()
  let count = 0
  for (const device of devices) {
    if (count++ % devicesPerCheck === 0 && slice.isOver) {
      await slice.yield()
    }
    const history = app.histories.get(device.id)
    const present = presentOf(device)
    online.add(reader.read(history, 'online', present.online))
    cpu.add(reader.read(history, 'cpu', present.cpu))
    memory.add(reader.read(history, 'memory', present.memory))
    const presentDisk = device.connectionId === '' ? undefined : fullestNow(device)
    fullest.fill(unknown)
    for (let index = 0; index < (history?.disks.length ?? 0); index++) {
      const samples = reader.read(history, { disk: index }, presentDisk)
      for (let at = 0; at < length; at++) {
        const sample = samples[at]!
        const highest = fullest[at]!
        if (highest === unknown || (sample !== unknown && sample > highest)) {
          fullest[at] = sample
        }
      }
    }
    disk.add(fullest)
  }
  return {
    stepMs: reader.stepMs,
    start: instant(reader.start),
    devices: count,
    online: online.totals(),
    known: [...online.known],
    cpu: cpu.means(),
    memory: memory.means(),
    disk: disk.means(),
  }
}
