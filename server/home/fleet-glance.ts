import { minuteMs, weekMs } from '../../shared/durations.ts'
import type { AbsenceCause } from '../../shared/dtos/device-absence.ts'
import type { HomeDeviceDto, HomeDeviceFindingDto, HomeFleetDto } from '../../shared/api/appliance-home.ts'
import { alertedSubjects } from '../alerts/alerted-subjects.ts'
import type { App, Call } from '../call/call.ts'
import { causesOf, plannedCauses, returnMs } from '../devices/absence.ts'
import { outdatedTest } from '../fleet/device-query.ts'
import type { DeviceList } from '../fleet/device-list.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { fullDisk } from '../fleet/facet-counts.ts'
import { instant } from '../ground/instant.ts'

/** Time after a start of the server in which agents reconnect. */
const reconnectMs = minuteMs
const devicesShown = 5
const customersShown = 8

interface Counts {
  total: number
  online: number
}

/** Used share of the storage, 0 to 1 whatever the device reports: another number would fail the answer for all. */
const storageOf = ({ usedStorage, totalStorage }: DeviceState) =>
  totalStorage > 0 ? Math.min(1, Math.max(0, usedStorage / totalStorage)) : 0

function count<Key>(counts: Map<Key, Counts>, key: Key, isOnline: boolean): void {
  let counted = counts.get(key)
  if (!counted) {
    counts.set(key, (counted = { total: 0, online: 0 }))
  }
  counted.total++
  counted.online += isOnline ? 1 : 0
}

const bySize = (one: Counts, other: Counts) => other.total - one.total

/** Whether somebody has to look after an absence: nobody wanted it, and the device does not come back by itself. */
function needsHand(app: App, { lastSeen }: DeviceState, cause: AbsenceCause | undefined): boolean {
  const now = app.clock.now()
  if (cause !== undefined && plannedCauses.has(cause)) {
    return false
  }
  if (lastSeen < app.startedAt && now - app.startedAt < reconnectMs) {
    return false
  }
  return now - lastSeen >= ((cause && returnMs[cause]) ?? 0)
}

const present = (device: DeviceState, cause: AbsenceCause | null = null): HomeDeviceDto => ({
  id: device.id,
  name: device.alias ?? device.name,
  customerName: device.customerName,
  since: instant(device.lastSeen),
  cause,
  storage: storageOf(device),
  agentVersion: device.agentVersion,
})

const finding = (kind: HomeDeviceFindingDto['kind'], devices: DeviceState[], causes?: Map<string, AbsenceCause>) => ({
  kind,
  count: devices.length,
  devices: devices.slice(0, devicesShown).map((device) => present(device, causes?.get(device.id))),
})

/** Names and counts of the largest customers; equal names, of several tenants, are one. */
function presentCustomers(customers: ReadonlyMap<string | null, Counts>) {
  const sorted = [...customers].map(([name, counts]) => ({ name, ...counts })).toSorted(bySize)
  const others = sorted.slice(customersShown)
  return {
    customers: sorted.slice(0, customersShown),
    otherCustomers: others.reduce((sum, { total }) => sum + total, 0),
  }
}

/**
 * Numbers and findings of the devices, in one pass over memory and one query for the reasons of absences. What an alert tells
 * the caller of is no finding.
 */
export async function fleetGlance(call: Pick<Call, 'app' | 'principal'>, devices: DeviceList): Promise<HomeFleetDto> {
  const { app } = call
  const now = app.clock.now()
  const told = {
    down: await alertedSubjects(call, ['device-offline']),
    full: await alertedSubjects(call, ['device-disk']),
    behind: await alertedSubjects(call, ['device-agent-behind']),
  }
  const isOutdated = outdatedTest({ app })
  const counts = { total: 0, online: 0, seenInWeek: 0 }
  const customers = new Map<string | null, Counts>()
  const systems = new Map<number, Counts>()
  const away: DeviceState[] = []
  const full: DeviceState[] = []
  const behind: DeviceState[] = []
  for (const device of devices) {
    const isOnline = device.connectionId !== ''
    const isRecent = isOnline || now - device.lastSeen < weekMs
    counts.total++
    counts.online += isOnline ? 1 : 0
    counts.seenInWeek += isRecent ? 1 : 0
    count(customers, device.customerName, isOnline)
    count(systems, device.platform, isOnline)
    // A device that was away for longer is not down now: it counts as not seen in a week.
    if (!isOnline && isRecent && !told.down.has(device.id)) {
      away.push(device)
    }
    if (isRecent && storageOf(device) > fullDisk && !told.full.has(device.id)) {
      full.push(device)
    }
    if (isOutdated({ device }) && !told.behind.has(device.id)) {
      behind.push(device)
    }
  }
  const causes = await causesOf(app, away)
  const down = away.filter((device) => needsHand(app, device, causes.get(device.id)))
  const findings = [
    finding(
      'down',
      down.toSorted((one, other) => other.lastSeen - one.lastSeen),
      causes,
    ),
    finding(
      'disk',
      full.toSorted((one, other) => storageOf(other) - storageOf(one)),
    ),
    finding('agent', behind),
  ]
  return {
    checkedAt: instant(now),
    ...counts,
    agentVersion: app.agentRelease.version ?? null,
    findings: findings.filter((each) => each.count > 0),
    ...presentCustomers(customers),
    systems: [...systems].map(([platform, each]) => ({ platform, ...each })).toSorted(bySize),
  }
}
