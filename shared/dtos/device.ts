import { z } from 'zod'
import { bytes, shortText, dateTime, dto, id, textOrNull } from '../contract/fields.ts'
import { columnOf, deviceReport, requestColumns } from './device-report.ts'

const deviceId = id.describe('Chosen by the agent at its first registration; stays the same when it registers again.')
const tenantId = id.describe('Tenant that the device belongs to.')

/** Report of an agent about its device; memory and storage in GiB, CPU utilization 0 to 1. */
export const DeviceUpdateRequestDto = dto('DeviceUpdateRequestDto', {
  id: deviceId,
  tenantId,
  ...requestColumns(deviceReport),
})
export type DeviceUpdateRequestDto = z.output<typeof DeviceUpdateRequestDto>

/** Used storage above which the home page names a device, its list counts it as full and a new alert rule reports it. */
export const fullDiskPercent = 90

/** Make reported by this product's agents; updates are offered to no other make. */
export const ownAgentMake = 'Farhand'

/** A device update with an Ed25519 signature over its MessagePack encoding (`docs/hubs.md`, "What is signed"). */
export const SignedDeviceUpdateDto = dto('SignedDeviceUpdateDto', {
  dto: DeviceUpdateRequestDto,
  timestamp: z.iso.datetime({ offset: true }),
  signature: bytes,
  publicKey: z.string().nullable().default(null),
  // Outside the DTO, because other implementations know all members that a signature covers.
  agentMake: shortText(50).default('').describe('Make of the agent. Not signed, and no right depends on it.'),
})
export type SignedDeviceUpdateDto = z.output<typeof SignedDeviceUpdateDto>

/** Members keep their published order; new members are grouped. */
const {
  name,
  agentVersion,
  cpuUtilization,
  is64Bit,
  osArchitecture,
  platform,
  processorCount,
  osDescription,
  totalMemory,
  totalStorage,
  usedMemory,
  usedStorage,
  currentUsers,
  macAddresses,
  localIpV4,
  localIpV6,
  drives,
  ...others
} = columnOf(deviceReport, 'response')

const publicAddress = (family: 'IPv4' | 'IPv6') =>
  z
    .string()
    .describe(
      `Address that the connection of the agent comes from, taken from the socket and not from the report; empty when it is not ${family}.`,
    )
const lastSeen = dateTime.describe('When the agent last reported, or its connection ended; the clock of this server.')

/** A device as returned to users and integrators. */
export const DeviceResponseDto = dto('DeviceResponseDto', {
  id: deviceId,
  tenantId,
  name,
  alias: textOrNull.describe('Name given by people, shown in place of `name`; null when none was given.'),
  agentVersion,
  cpuUtilization,
  is64Bit,
  isOnline: z.boolean().describe('Whether the agent is connected now.'),
  lastSeen,
  osArchitecture,
  platform,
  processorCount,
  connectionId: z.string().describe('Hub connection of the agent; empty when offline.'),
  osDescription,
  totalMemory,
  totalStorage,
  usedMemory,
  usedStorage,
  currentUsers,
  macAddresses,
  publicIpV4: publicAddress('IPv4'),
  publicIpV6: publicAddress('IPv6'),
  localIpV4,
  localIpV6,
  drives,
  isOutdated: z.boolean().describe('The agent version differs from the one that this server offers.'),
  ...others,
  tagIds: z
    .array(id)
    .nullable()
    .describe('Tags of the device, by the `id` of `GET /api/v1/tags`. Null is read, and never sent by this server.'),
  customerId: id
    .nullable()
    .describe('Customer of the device, by the `id` of `GET /api/v1/customers`; null without one.'),
  customerName: textOrNull.describe('Name of that customer; null without one.'),
})
export type DeviceResponseDto = z.output<typeof DeviceResponseDto>

export const DeviceSummaryResponseDto = dto('DeviceSummaryResponseDto', {
  id: deviceId,
  lastSeen,
  agentVersion: z.string().describe('Version that the agent last reported, 2 to 4 numbers with dots.'),
})
export type DeviceSummaryResponseDto = z.output<typeof DeviceSummaryResponseDto>
