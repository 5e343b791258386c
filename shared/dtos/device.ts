import { z } from 'zod'
import { bytes, cutText, dateTime, double, id, nameEnum, numberEnum } from '../contract/fields.ts'

export const Architecture = numberEnum('Architecture', {
  X86: 0,
  X64: 1,
  Arm: 2,
  Arm64: 3,
  Wasm: 4,
  S390x: 5,
  LoongArch64: 6,
  Armv6: 7,
  Ppc64le: 8,
  RiscV64: 9,
})

export const SystemPlatform = numberEnum('SystemPlatform', {
  Unknown: 0,
  Windows: 1,
  Linux: 2,
  MacOs: 3,
  MacCatalyst: 4,
  Android: 5,
  Ios: 6,
  Browser: 7,
})
export type SystemPlatform = z.output<typeof SystemPlatform>

export const driveTypes = {
  Unknown: 0,
  NoRootDirectory: 1,
  Removable: 2,
  Fixed: 3,
  Network: 4,
  CDRom: 5,
  Ram: 6,
} as const
export const DriveType = nameEnum('DriveType', driveTypes)

/** A file system of a device; sizes in GiB. */
export const Drive = z
  .object({
    driveType: DriveType.default('Unknown'),
    rootDirectory: z.string().default(''),
    name: z.string().default(''),
    driveFormat: z.string().default(''),
    freeSpace: double.default(0),
    totalSize: double.default(0),
    volumeLabel: z.string().default(''),
  })
  .meta({ id: 'Drive' })
export type Drive = z.output<typeof Drive>

/** What an agent reports about its device; memory and storage in GiB, CPU utilization 0 to 1. */
export const DeviceUpdateRequestDto = z
  .object({
    id,
    tenantId: id,
    name: cutText(100).default(''),
    agentVersion: cutText(50).default(''),
    is64Bit: z.boolean().default(false),
    osArchitecture: Architecture.default(0),
    osDescription: cutText(300).default(''),
    platform: SystemPlatform.default(0),
    processorCount: z.number().int().default(0),
    cpuUtilization: double.default(0),
    totalMemory: double.default(0),
    totalStorage: double.default(0),
    usedMemory: double.default(0),
    usedStorage: double.default(0),
    currentUsers: z.array(z.string()).default([]),
    macAddresses: z.array(z.string()).default([]),
    localIpV4: cutText(15).default(''),
    localIpV6: cutText(39).default(''),
    drives: z.array(Drive).default([]),
    dnsHostName: cutText(255).default(''),
  })
  .meta({ id: 'DeviceUpdateRequestDto' })
export type DeviceUpdateRequestDto = z.output<typeof DeviceUpdateRequestDto>

/** A device update with an Ed25519 signature over its MessagePack form (`docs/hubs.md`, "What is signed"). */
export const SignedDeviceUpdateDto = z
  .object({
    dto: DeviceUpdateRequestDto,
    timestamp: z.iso.datetime({ offset: true }),
    signature: bytes,
    publicKey: z.string().nullable().default(null),
  })
  .meta({ id: 'SignedDeviceUpdateDto' })
export type SignedDeviceUpdateDto = z.output<typeof SignedDeviceUpdateDto>

/** A device as people and integrators see it. */
export const DeviceResponseDto = z
  .object({
    id,
    tenantId: id,
    name: z.string(),
    alias: z.string().nullable(),
    agentVersion: z.string(),
    cpuUtilization: double.meta({ description: '0 to 1' }),
    is64Bit: z.boolean(),
    isOnline: z.boolean(),
    lastSeen: dateTime,
    osArchitecture: Architecture,
    platform: SystemPlatform,
    processorCount: z.number().int(),
    connectionId: z.string().meta({ description: 'Hub connection of the agent; empty when offline.' }),
    osDescription: z.string(),
    totalMemory: double.meta({ description: 'GiB' }),
    totalStorage: double.meta({ description: 'GiB, system drive' }),
    usedMemory: double.meta({ description: 'GiB' }),
    usedStorage: double.meta({ description: 'GiB, system drive' }),
    currentUsers: z.array(z.string()),
    macAddresses: z.array(z.string()),
    publicIpV4: z.string(),
    publicIpV6: z.string(),
    localIpV4: z.string(),
    localIpV6: z.string(),
    drives: z.array(Drive),
    isOutdated: z.boolean().meta({ description: 'The agent version differs from the one that this server offers.' }),
    dnsHostName: z.string(),
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
