import type { StopReason } from '../../shared/dtos/device-commands.ts'
import type { FoundDesktop } from '../desktop/x11/discover.ts'
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
  /** What changes the power state at once. */
  powerCommand(change: PowerChange): CommandLine
  /** Why the system stops this program now. Missing where it does not tell. */
  stopReason?(): Promise<StopReason>
  /** The desktops that are there now; those that this agent cannot show say why. */
  findDesktops(): Promise<FoundDesktop[]>
  /** Presses Ctrl+Alt+Del at the console; whether the system let us. Missing where there is no such thing. */
  pressCtrlAltDel?(): Promise<boolean>
}

export type PowerChange = 'restart' | 'shutdown'

/** Program and arguments; the program by its whole path where others could put one of its name. */
export type CommandLine = readonly [program: string, ...args: string[]]

export type MountedDrive = Pick<Drive, 'rootDirectory' | 'driveFormat' | 'volumeLabel'>

/** The one desktop of a system whose desktops this agent cannot show. */
export const closedConsole = (obstacle: string): FoundDesktop => ({
  name: 'Console',
  desktopName: '',
  username: '',
  systemSessionId: 1,
  isSignedIn: true,
  address: null,
  obstacle,
})
