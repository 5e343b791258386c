import type { DeviceResponseDto } from '../../shared/dtos/device.ts'
import type { DeviceState } from '../models/device.ts'

/** `offeredVersion` is the agent version of this server; unknown ones make nothing outdated. */
export const presentDevice = (device: DeviceState, offeredVersion: string | undefined): DeviceResponseDto => ({
  id: device.id,
  tenantId: device.tenantId,
  name: device.name,
  alias: device.alias,
  agentVersion: device.agentVersion,
  cpuUtilization: device.cpuUtilization,
  is64Bit: device.is64Bit,
  isOnline: device.connectionId !== '',
  lastSeen: new Date(device.lastSeen).toISOString(),
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
  isOutdated:
    offeredVersion !== undefined && device.agentVersion.trim() !== '' && device.agentVersion !== offeredVersion,
  dnsHostName: device.dnsHostName,
  tagIds: [...device.tagIds],
  customerId: device.customerId,
  customerName: device.customerName,
})
