import { statfs } from 'node:fs/promises'
import { arch, cpus, hostname, machine, networkInterfaces } from 'node:os'
import type { DeviceUpdateRequestDto } from '../../shared/dtos/device.ts'
import type { Drive } from '../../shared/dtos/device-report.ts'
import { platform } from '../platform/index.ts'
import { agentVersion } from '../base/version.ts'
import { systemClock, wait } from '../base/clock.ts'

/** Facts of a device for a report, without the ids. */
export type Facts = Omit<DeviceUpdateRequestDto, 'id' | 'tenantId'>

const toGib = (bytes: number) => Math.round((bytes / 1024 ** 3) * 100) / 100

export const machineName = () => hostname().replace(/\..*$/, '')

const architectures: Partial<Record<string, DeviceUpdateRequestDto['osArchitecture']>> = {
  ia32: 0,
  x64: 1,
  arm: 2,
  arm64: 3,
  s390x: 5,
  loong64: 6,
  riscv64: 9,
}

/** Architecture of the system, also for a 32-bit program on a 64-bit system. */
const osArchitecture = () => {
  const name = { x86_64: 'x64', amd64: 'x64', aarch64: 'arm64' }[machine()] ?? arch()
  return architectures[name] ?? 1
}

interface CpuTimes {
  busyMs: number
  totalMs: number
}

function cpuTimes(): CpuTimes {
  const sums = { busyMs: 0, totalMs: 0 }
  for (const { times } of cpus()) {
    const totalMs = times.user + times.nice + times.sys + times.irq + times.idle
    sums.totalMs += totalMs
    sums.busyMs += totalMs - times.idle
  }
  return sums
}

/** Share of processor time in use since the previous call, 0 to 1. */
export function cpuMeter() {
  let before = cpuTimes()
  return () => {
    const now = cpuTimes()
    const total = now.totalMs - before.totalMs
    const share = total > 0 ? (now.busyMs - before.busyMs) / total : 0
    before = now
    return Math.round(Math.min(1, Math.max(0, share)) * 1e4) / 1e4
  }
}

async function readDrives(): Promise<{ drives: Drive[]; total: number; used: number }> {
  const mounted = await platform.fixedDrives()
  const system = { total: 0, used: 0 }
  const read = async (drive: (typeof mounted)[number]): Promise<Drive | undefined> => {
    const space = await statfs(drive.rootDirectory).catch(() => undefined)
    if (!space || space.blocks === 0) {
      return undefined
    }
    const used = space.blocks - space.bfree
    // Computed like `df`, without blocks reserved for root: used and free space add up to the total.
    const totalSize = toGib((used + space.bavail) * space.bsize)
    const freeSpace = toGib(space.bavail * space.bsize)
    if (drive.rootDirectory === platform.systemDrive) {
      system.total = totalSize
      system.used = toGib(used * space.bsize)
    }
    const { rootDirectory, driveFormat, volumeLabel } = drive
    // The order of the members here and below is signed; see the table in shared/dtos/device-report.ts.
    return { driveType: 'Fixed', rootDirectory, name: rootDirectory, driveFormat, freeSpace, totalSize, volumeLabel }
  }
  const drives = (await Promise.all(mounted.map(read))).filter((drive) => drive !== undefined)
  return { drives: drives.toSorted((a, b) => (a.rootDirectory < b.rootDirectory ? -1 : 1)), ...system }
}

function readNetwork() {
  const addresses = Object.entries(networkInterfaces())
    .filter(([name]) => !platform.isVirtualInterface(name))
    .flatMap(([, entries]) => entries ?? [])
    .filter(({ internal }) => !internal)
  const macs = addresses.map(({ mac }) => mac.replaceAll(':', '').toUpperCase())
  const isPublishable = (address: string) => !/^(fe80:|169\.254\.)/i.test(address)
  const first = (family: string) =>
    addresses.find((entry) => entry.family === family && isPublishable(entry.address))?.address ?? ''
  return {
    macAddresses: [...new Set(macs)].filter((mac) => !/^0+$/.test(mac)).sort(),
    localIpV4: first('IPv4'),
    localIpV6: first('IPv6'),
  }
}

/**
 * Creates a function that reads the device's state; CPU utilization is measured since the previous call (at first: 300
 * ms).
 */
export function createFactsReader(): () => Promise<Facts> {
  const cpuUtilization = cpuMeter()
  let firstInterval: Promise<void> | undefined = wait(systemClock, 300)
  return async () => {
    await firstInterval
    firstInterval = undefined
    const [osDescription, memory, storage, currentUsers] = await Promise.all([
      platform.osDescription(),
      platform.memory(),
      readDrives(),
      platform.currentUsers(),
    ])
    return {
      name: machineName(),
      agentVersion,
      is64Bit: osArchitecture() !== 0 && osArchitecture() !== 2,
      osArchitecture: osArchitecture(),
      osDescription,
      platform: platform.system,
      processorCount: cpus().length,
      cpuUtilization: cpuUtilization(),
      totalMemory: toGib(memory.totalBytes),
      totalStorage: storage.total,
      usedMemory: toGib(memory.usedBytes),
      usedStorage: storage.used,
      currentUsers,
      ...readNetwork(),
      drives: storage.drives,
      dnsHostName: hostname(),
    }
  }
}

/** Facts whose change is reported at once; loads and fill levels change constantly. */
export const meaningfulFacts = ({
  name,
  currentUsers,
  macAddresses,
  localIpV4,
  localIpV6,
  drives,
  dnsHostName,
}: Facts) =>
  JSON.stringify([
    name,
    currentUsers,
    macAddresses,
    localIpV4,
    localIpV6,
    drives.map((d) => d.rootDirectory),
    dnsHostName,
  ])
