import type { StopReason } from '../../shared/dtos/device-commands.ts'
import type { CommandLine } from '../base/command-line.ts'
import type { Arriving, FoundDesktop } from '../desktop-host/found-desktop.ts'
import type { Drive, SystemPlatform } from '../../shared/dtos/device-report.ts'

/** What differs between operating systems. Sizes in bytes. */
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
  /** Programs that a terminal may run. */
  shells(): string[]
  /** Runs an installer script of this system. */
  scriptCommand(file: string, args: readonly string[]): CommandLine
  /** Runs what somebody typed, without a terminal. Where other users can list command lines, the command goes to `input`. */
  commandLine(command: string): { line: CommandLine; input?: string }
  /** What changes the power state at once. */
  powerCommand(change: PowerChange): CommandLine
  /** Why the system stops this program now. Missing where it does not tell. */
  stopReason?(): Promise<StopReason>
  /** The desktops that are there now; those that this agent cannot show say why. */
  findDesktops(): Promise<Arriving<FoundDesktop>>
  /** Presses Ctrl+Alt+Del at the console; resolves with the reason where that is not possible. Missing where there is no such thing. */
  pressCtrlAltDel?(): Promise<string | undefined>
}

export type PowerChange = 'restart' | 'shutdown'

export type MountedDrive = Pick<Drive, 'rootDirectory' | 'driveFormat' | 'volumeLabel'>
