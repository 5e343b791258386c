import type { Drive, SystemPlatform } from '../../shared/dtos/device-report.ts'

/** What differs between operating systems when a device describes itself. Sizes in bytes. */
export interface Platform {
  system: SystemPlatform
  /** Root of the drive that the system lives on. */
  systemDrive: string
  osDescription(): Promise<string>
  memory(): Promise<{ totalBytes: number; usedBytes: number }>
  /** Mounted fixed drives; sizes are added by the caller. */
  fixedDrives(): Promise<MountedDrive[]>
  /** Names of the people that are logged in, sorted. */
  currentUsers(): Promise<string[]>
  /** Interfaces of containers and tunnels, which come and go and say nothing about the device. */
  isVirtualInterface(name: string): boolean
}

export type MountedDrive = Pick<Drive, 'rootDirectory' | 'driveFormat' | 'volumeLabel'>
