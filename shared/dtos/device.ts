import { z } from 'zod'
import { bytes, cutText, dateTime, id } from '../contract/fields.ts'
import { columnOf, deviceReport } from './device-report.ts'

/** What an agent reports about its device; memory and storage in GiB, CPU utilization 0 to 1. */
export const DeviceUpdateRequestDto = z
  .object({ id, tenantId: id, ...columnOf(deviceReport, 'request') })
  .meta({ id: 'DeviceUpdateRequestDto' })
export type DeviceUpdateRequestDto = z.output<typeof DeviceUpdateRequestDto>

/** Make that this product's agents report; its releases update no other agents. */
export const ownAgentMake = 'Farhand'

/** A device update with an Ed25519 signature over its MessagePack form (`docs/hubs.md`, "What is signed"). */
export const SignedDeviceUpdateDto = z
  .object({
    dto: DeviceUpdateRequestDto,
    timestamp: z.iso.datetime({ offset: true }),
    signature: bytes,
    publicKey: z.string().nullable().default(null),
    // Beside the DTO, because servers of other makes know all members that a signature covers.
    agentMake: cutText(50)
      .default('')
      .meta({ description: 'Make of the agent. Not signed, and no right depends on it.' }),
  })
  .meta({ id: 'SignedDeviceUpdateDto' })
export type SignedDeviceUpdateDto = z.output<typeof SignedDeviceUpdateDto>

/** Members keep the order in which they were published; others stand together. */
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

/** A device as people and integrators see it. */
export const DeviceResponseDto = z
  .object({
    id,
    tenantId: id,
    name,
    alias: z.string().nullable(),
    agentVersion,
    cpuUtilization,
    is64Bit,
    isOnline: z.boolean(),
    lastSeen: dateTime,
    osArchitecture,
    platform,
    processorCount,
    connectionId: z.string().meta({ description: 'Hub connection of the agent; empty when offline.' }),
    osDescription,
    totalMemory,
    totalStorage,
    usedMemory,
    usedStorage,
    currentUsers,
    macAddresses,
    publicIpV4: z.string(),
    publicIpV6: z.string(),
    localIpV4,
    localIpV6,
    drives,
    isOutdated: z.boolean().meta({ description: 'The agent version differs from the one that this server offers.' }),
    ...others,
    tagIds: z.array(id).nullable(),
    customerId: id.nullable(),
    customerName: z.string().nullable(),
  })
  .meta({ id: 'DeviceResponseDto' })
export type DeviceResponseDto = z.output<typeof DeviceResponseDto>

export const DeviceSummaryResponseDto = z
  .object({ id, lastSeen: dateTime, agentVersion: z.string() })
  .meta({ id: 'DeviceSummaryResponseDto' })
export type DeviceSummaryResponseDto = z.output<typeof DeviceSummaryResponseDto>
