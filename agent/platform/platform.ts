import type { StopReason } from '../../shared/dtos/device-commands.ts'
import type { CommandLine } from '../base/command-line.ts'
import type { Arriving, FoundDesktop } from '../desktop-host/found-desktop.ts'
import type { Drive, SystemPlatform } from '../../shared/dtos/device-report.ts'

/** Functions that differ between operating systems. Sizes in bytes. */
export interface Platform {
  system: SystemPlatform
  /** Root of the system's drive. */
  systemDrive: string
  osDescription(): Promise<string>
  memory(): Promise<{ totalBytes: number; usedBytes: number }>
  /** Mounted fixed drives; the caller adds their sizes. */
  fixedDrives(): Promise<MountedDrive[]>
  /** Names of signed-in users, sorted. */
  currentUsers(): Promise<string[]>
  /** Returns whether an interface belongs to a container or a tunnel and is excluded from reports. */
  isVirtualInterface(name: string): boolean
  /** Shells for terminals. */
  shells(): string[]
  /** Command that runs an installer script of this system. */
  scriptCommand(file: string, args: readonly string[]): CommandLine
  /**
   * Command that runs user input without a terminal. On systems where other users can list command lines, the user's
   * command is passed as `input`.
   */
  commandLine(command: string): { line: CommandLine; input?: string }
  /** Command that changes the power state at once. */
  powerCommand(change: PowerChange): CommandLine
  /** Reason why the system stops this program at present. Missing where the system reports none. */
  stopReason?(): Promise<StopReason>
  /** Current desktops; a desktop that cannot be shown has an obstacle. */
  findDesktops(): Promise<Arriving<FoundDesktop>>
  /**
   * Sends Ctrl+Alt+Del to the console; resolves with the reason if not possible. Missing on systems without
   * Ctrl+Alt+Del.
   */
  pressCtrlAltDel?(): Promise<string | undefined>
}

export type PowerChange = 'restart' | 'shutdown'

export type MountedDrive = Pick<Drive, 'rootDirectory' | 'driveFormat' | 'volumeLabel'>
