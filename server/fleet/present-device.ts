import { instant } from '../ground/instant.ts'
import type { DeviceResponseDto, DeviceSummaryResponseDto } from '../../shared/dtos/device.ts'
import { isOutdated, type DeviceState } from './device-state.ts'
import { keepJson } from '../ground/json.ts'

/**
 * `offeredVersion` is the agent version of this server; an unknown version makes no agent outdated. An object literal,
 * which does not compile without a reported field: a loop over the fields takes twice as long.
 */
const dtoOf = (device: DeviceState, offeredVersion: string | undefined): DeviceResponseDto => ({
  id: device.id,
  tenantId: device.tenantId,
  name: device.name,
  alias: device.alias,
  agentVersion: device.agentVersion,
  cpuUtilization: device.cpuUtilization,
  is64Bit: device.is64Bit,
  isOnline: device.connectionId !== '',
  lastSeen: instant(device.lastSeen),
  osArchitecture: device.osArchitecture,
  platform: device.platform,
  processorCount: device.processorCount,
  connectionId: device.connectionId,
  osDescription: device.osDescription,
  totalMemory: device.totalMemory,
  totalStorage: device.totalStorage,
  usedMemory: device.usedMemory,
  usedStorage: device.usedStorage,
  currentUsers: device.currentUsers,
  macAddresses: device.macAddresses,
  publicIpV4: device.publicIpV4,
  publicIpV6: device.publicIpV6,
  localIpV4: device.localIpV4,
  localIpV6: device.localIpV6,
  drives: device.drives,
  isOutdated: isOutdated(device.agentVersion, offeredVersion),
  dnsHostName: device.dnsHostName,
  tagIds: [...device.tagIds],
  customerId: device.customerId,
  customerName: device.customerName,
})

interface Presented {
  dto: DeviceResponseDto
  offeredVersion: string | undefined
}

const presented = new WeakMap<DeviceState, Presented>()

/** Presents a device. Each snapshot is presented once per offered version; the result caches its JSON. */
export function presentDevice(device: DeviceState, offeredVersion: string | undefined): DeviceResponseDto {
  const known = presented.get(device)
  if (known && known.offeredVersion === offeredVersion) {
    return known.dto
  }
  const dto = keepJson(dtoOf(device, offeredVersion))
  presented.set(device, { dto, offeredVersion })
  return dto
}

let latest: { version: string | undefined; present: (device: DeviceState) => DeviceResponseDto } | undefined

/** Returns the function that presents devices for an offered version: the same one until the version changes. */
export function devicePresenter(version: string | undefined): (device: DeviceState) => DeviceResponseDto {
  if (!latest || latest.version !== version) {
    latest = { version, present: (device) => presentDevice(device, version) }
  }
  return latest.present
}

const summaries = new WeakMap<DeviceState, DeviceSummaryResponseDto>()

/** Presents a device in the short encoding, cached by snapshot. */
export function presentDeviceSummary(device: DeviceState): DeviceSummaryResponseDto {
  const known = summaries.get(device)
  if (known) {
    return known
  }
  const { id, lastSeen, agentVersion } = device
  const dto = keepJson({ id, lastSeen: instant(lastSeen), agentVersion })
  summaries.set(device, dto)
  return dto
}
