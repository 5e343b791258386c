import { DeviceUpdateRequestDto } from '../../shared/dtos/device.ts'

/** Seeded random numbers, so that each index gives the same device in every run. */
function chance(seed: number) {
  let state = seed * 2654435761
  return () => {
    state = (state ^ (state << 13)) >>> 0
    state = (state ^ (state >>> 17)) >>> 0
    state = (state ^ (state << 5)) >>> 0
    return state / 2 ** 32
  }
}

const people = ['ada', 'grace', 'linus', 'margaret', 'ken', 'barbara', 'dennis', 'radia', 'edsger', 'hedy']
const places = ['berlin', 'lyon', 'porto', 'oslo', 'turin', 'graz', 'ghent', 'malmo']
const systems = [
  { platform: 1, osDescription: 'Microsoft Windows 11 Pro 10.0.26100', root: 'C:\\', format: 'NTFS', role: 'desk' },
  { platform: 1, osDescription: 'Microsoft Windows Server 2025', root: 'C:\\', format: 'NTFS', role: 'srv' },
  { platform: 2, osDescription: 'Ubuntu 24.04.3 LTS', root: '/', format: 'ext4', role: 'node' },
  { platform: 2, osDescription: 'Debian GNU/Linux 12 (bookworm)', root: '/', format: 'ext4', role: 'edge' },
  { platform: 3, osDescription: 'macOS 15.7 Sequoia', root: '/', format: 'apfs', role: 'mac' },
] as const

const round = (value: number) => Math.round(value * 100) / 100

const unreported = DeviceUpdateRequestDto.omit({ id: true, tenantId: true }).parse({})

/** Report of device number `index`; `moment` changes the volatile values. */
export function simulatedReport(index: number, moment = 0): Omit<DeviceUpdateRequestDto, 'id' | 'tenantId'> {
  const next = chance(index + 1)
  const pick = <T>(items: readonly T[]) => items[Math.floor(next() * items.length)]!
  next()
  const system = pick(systems)
  const name = `${pick(places)}-${system.role}-${String(index).padStart(4, '0')}`
  const totalMemory = pick([8, 16, 32, 64])
  const totalStorage = pick([237.6, 465.63, 931.51, 1863.01])
  const usedStorage = round(totalStorage * (0.1 + 0.88 * next()))
  const load = Math.abs(Math.sin(index * 7.13 + moment * 0.7))
  return {
    ...unreported,
    name,
    agentVersion: next() < 0.08 ? '0.0.9.0' : '0.1.0.0',
    is64Bit: true,
    osArchitecture: system.platform === 3 ? 3 : 1,
    osDescription: system.osDescription,
    platform: system.platform,
    processorCount: pick([4, 8, 12, 16]),
    cpuUtilization: round(load * load),
    totalMemory,
    totalStorage,
    usedMemory: round(totalMemory * (0.2 + 0.7 * next())),
    usedStorage,
    currentUsers: next() < 0.7 ? [pick(people)] : [],
    macAddresses: [
      Array.from({ length: 6 }, () =>
        Math.floor(next() * 256)
          .toString(16)
          .padStart(2, '0'),
      )
        .join('')
        .toUpperCase(),
    ],
    localIpV4: `192.168.${index >> 8}.${index & 255}`,
    localIpV6: '',
    drives: [
      {
        driveType: 'Fixed',
        rootDirectory: system.root,
        name: system.root,
        driveFormat: system.format,
        freeSpace: round(totalStorage - usedStorage),
        totalSize: totalStorage,
        volumeLabel: '',
      },
    ],
    dnsHostName: `${name}.example.net`,
  }
}
