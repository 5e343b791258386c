import type { Socket } from 'node:net'
import type { RuntimeId } from '../../shared/dtos/agent-bundle.ts'
import type { StopReason } from '../../shared/dtos/device-commands.ts'
import type { Drive, SystemPlatform } from '../../shared/dtos/device-report.ts'
import type { PowerVariant } from '../../shared/dtos/power-change.ts'
import type { Clock } from '../base/clock.ts'
import type { CommandLine } from '../base/command-line.ts'
import type { Options } from '../base/arguments.ts'
import type { Paths } from '../base/paths.ts'
import type { Desktop } from './desktop/desktop.ts'
import type { Arriving, FoundDesktop } from './found-desktop.ts'
import type { ServiceManager } from './service-manager.ts'

/** Functions and rules that differ between operating systems. Sizes in bytes. */
export interface Platform {
  system: SystemPlatform
  /** Root of the system's drive. */
  systemDrive: string
  files: FileRules
  processes: ProcessRules
  terminals: TerminalRules
  program: ProgramRules
  desktops: DesktopRules
  osDescription(): Promise<string>
  memory(): Promise<{ totalBytes: number; usedBytes: number }>
  /** Mounted fixed drives; the caller adds their sizes. */
  fixedDrives(): Promise<MountedDrive[]>
  /** Names of signed-in users, sorted. */
  currentUsers(): Promise<string[]>
  /** Returns whether an interface belongs to a container or a tunnel and is excluded from reports. */
  isVirtualInterface(name: string): boolean
  /** Command that runs an installer script of this system. */
  scriptCommand(file: string, args: readonly string[]): CommandLine
  /**
   * Command that runs user input without a terminal. On systems where other users can list command lines, the user's
   * command is passed as `input`.
   */
  commandLine(command: string): { line: CommandLine; input?: string }
  powerCommand(change: PowerChange): CommandLine
  /** Changes beyond restart and shutdown that this system has, for the agent's service or a user's own agent. */
  powerVariants(agent: InstalledAgent): Promise<readonly PowerVariant[]>
  /** Steps that make such a change together; undefined where this system has no such change. */
  powerVariant(change: PowerVariant): Promise<readonly PowerStep[] | undefined>
  /**
   * Waits until the screens are locked; resolves with a sentence if they are not. Missing where the commands tell.
   */
  lockProblem?(clock: Clock): Promise<string | undefined>
  /** Restarts once into safe mode with network, in which the agent's service runs. Missing where there is none. */
  restartInSafeMode?(agent: InstalledAgent): Promise<void>
  /** Removes what a restart into safe mode has left behind. */
  tidyStart?(): Promise<void>
  /** Reason why the system stops this program at present. Missing where the system reports none. */
  stopReason?(): Promise<StopReason>
  /** Connects to the service manager that started this program. Missing where service managers send signals. */
  answerServiceManager?(): Promise<unknown>
  /**
   * Calls `listener` when a user signs in or out, locks or unlocks. Returns a function that ends this. Missing where only
   * looking again tells.
   */
  onSessionChange?(listener: () => void): () => void
}

/** Agent of an instance, as a service or not. */
export type InstalledAgent = Pick<Options, 'instanceId' | 'asService'>

export type PowerChange = 'restart' | 'shutdown'

/** Command, or a call of the system that rejects with a UserError. */
export type PowerStep = CommandLine | (() => Promise<void>)

export type MountedDrive = Pick<Drive, 'rootDirectory' | 'driveFormat' | 'volumeLabel'>

export interface FileRules {
  join(...parts: string[]): string
  /** Folders of a service, or of a user's own agent; people of the device may look into the readable one. */
  foldersFor(
    instanceId: string,
    asRoot: boolean,
  ): Pick<Paths, 'settingsFolder' | 'logFolder' | 'programFolder'> & { readableFolder: string }
  /** Whether names are bytes that need not be UTF-8. */
  namesAreBytes: boolean
  /** Whether an open folder has a path of its own, `/proc/self/fd/N`, which no other user can redirect. */
  hasHeldPaths: boolean
  /** Whether files have an owner and mode bits. */
  hasModes: boolean
  /** Names of a file's owner and group. Missing where files have no owner in this sense. */
  ownerNames?(ids: { uid: number; gid: number }): Promise<{ owner: string; group: string }>
  /** Returns whether this system allows the name, beyond the rules of all systems. */
  canBeName(name: string): boolean
  /** Returns whether an absolute path names a device. */
  isDevicePath(path: string): boolean
  /** Folders at which paths begin; some may be missing. */
  rootFolders(): Promise<string[]>
  /** Advice after access was denied that even root needs permission for. */
  deniedAdvice: string
  /** Returns why other users could read or change a folder; undefined for a safe or missing folder. */
  folderProblem(folder: string): string | undefined
  /** Creates a folder with its missing parents, closed to other users. */
  createPrivateFolder(folder: string): void
  /**
   * User of a desktop, whose process names folders for files: an agent with more rights writes only to folders of that
   * user (T32). Undefined for an agent that runs as that user. Rejects with a UserError where this cannot be ensured.
   */
  folderOwner(username: string): Promise<FolderOwner | undefined>
}

/** User to whose folders alone files are written. */
export interface FolderOwner {
  /** Owner of the folders, on systems with held paths. */
  uid?: number
  /** Keeps a folder of the user in its place. Throws `UserError` for any other folder. Missing on systems with held paths. */
  pin?(path: string): PinnedFolder
}

export interface PinnedFolder {
  /** Path without links. */
  path: string
  release(): void
}

export interface ProcessRules {
  /** Whether a process spawned with `detached` leads a process group. On Windows it would open a console window. */
  hasGroups: boolean
  /** Signals the processes of a group; without groups, its first process. */
  signalGroup(pid: number, signal: NodeJS.Signals): void
  /** Ends a process and its descendants. */
  killTree(pid: number, signal: NodeJS.Signals): void
  /** Starts a process that outlives this one; its output is appended to a file. Rejects if it cannot be started. */
  startOutliving(command: CommandLine, outputFile?: string): Promise<OutlivingProcess>
  /** Arguments of a process, each ended by NUL; empty if hidden. Missing where the system reports none. */
  argumentsOf?(pid: number): string
  /** Uid of the process that opened a connection between two ports of 127.0.0.1. Missing where the system reports none. */
  ownerOfConnection?(fromPort: number, toPort: number): Promise<number | undefined>
}

export interface TerminalRules {
  shells(): string[]
  /** Login shell of the agent's user; accounts without a login shell use the system's default. */
  loginShell(): string
  /** Variables of the agent that programs inherit. */
  inherited(): Record<string, string>
  /** Environment of programs in a terminal and of commands without a terminal. */
  environment(shell: string): Record<string, string>
  /** Signal for the shell of a pseudo-terminal; undefined where only `kill()` without a signal ends it. */
  killSignal(signal: string): string | undefined
}

/** Process that goes on after the end of this one. */
export interface OutlivingProcess {
  /** Resolves with how it ended, such as `status 1`, if this process sees that. */
  ended: Promise<string>
}

export interface ProgramRules {
  /** Names in the program folder that start the current version. */
  entries: readonly string[]
  /** Whether entries are links through `current`; otherwise the service definition names the version's folder. */
  isLinked: boolean
  /** Linked entries that are copied files instead. */
  copiedEntries: readonly string[]
  nodeName: string
  /** Name of an update's installer in the settings folder. */
  installerName: string
  /** Member of a release statement with the digest of this system's bundle. */
  bundleDigest: 'bundleSha256' | 'tarSha256'
  /** Bundles for this system, by processor. */
  runtimes: Partial<Record<string, RuntimeId>>
  /** Whether users without root can install an agent of their own. */
  allowsUserInstallations: boolean
  /** Command line to paste into the system's usual shell. */
  shellCommand(args: readonly string[]): string
  /** Removes the folder of the program, which may be this running program. */
  removeFolder(folder: string): void | Promise<unknown>
  /** Records why an installation failed, for administrators of tools that do not show its output. */
  noteFailure?(reason: string): Promise<void>
  /** Best first. */
  serviceManagers: readonly ServiceManager[]
}

export interface DesktopRules {
  /** Current desktops; a desktop that cannot be shown has an obstacle. */
  find(): Promise<Arriving<FoundDesktop>>
  /**
   * Sends Ctrl+Alt+Del to the console; resolves with the reason if not possible. Missing on systems without
   * Ctrl+Alt+Del.
   */
  pressCtrlAltDel?(): Promise<string | undefined>
  /** Folder for files that are dropped on the desktop of the user whose session this process runs in. */
  dropFolder(): Promise<string>
  /** Connector to the desktop of the session that this process runs in. */
  connector(): Promise<DesktopConnector>
  /**
   * Keeps the screens of this process's desktop blank until standard input ends. Missing where the system restores them
   * by itself when a process ends.
   */
  keepBlank?(): Promise<void>
  /** Serves one desktop's process as its helper; `args` come from the agent. Missing where there is no such helper. */
  serveSecureDesktop?(args: readonly string[]): Promise<void>
  /** Channel to the agent that started this process for a desktop; undefined if the parent is no agent. */
  channelToAgent(argument: string): Socket | undefined
  /** Program locations that only an administrator can change. */
  browsers(): Browsers
}

/** Permission of the person at a desktop for later sessions, stored by the agent, where no other program can use it. */
export interface DesktopGrant {
  /** Returns the token of the system; null if the person has to be asked. */
  read(): Promise<string | null>
  store(token: string | null): Promise<unknown>
}

/** Conditions under which a desktop is opened. */
export interface DesktopUse {
  grant: DesktopGrant
  /** Whether a viewer controls the desktop, rather than looks at it once: the system may then ask the person. */
  isSession: boolean
  /** Starts the helper for what the system shows to no program of a person; missing if the viewer may not use that. */
  openSecureDesktop?: () => Promise<string>
}

/** Opens the one desktop that this process serves. */
export interface DesktopConnector {
  /**
  /** Opens a new desktop for each use, which owns and closes it. Rejects with a UserError. */
  open(use: DesktopUse): Promise<Desktop>
  /** Rejects with a UserError if the desktop cannot be shown at present. */
  check(): Promise<void>
  /** Returns whether the system asks the person before the next session. Missing where the system never does. */
  asksPerson?(grant: DesktopGrant): Promise<boolean>
}

/**
 * Chromium-based browsers of a system, in order of preference, and the command that opens an address in any other
 * browser.
 */
export interface Browsers {
  chromiums: readonly string[]
  opener: CommandLine | undefined
}
