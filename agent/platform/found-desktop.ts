import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { DesktopSession } from '../../shared/dtos/desktop-session.ts'
import type { CommandLine } from '../base/command-line.ts'

/** Description of a desktop for people, whether the desktop can be shown or not. */
export interface DesktopDescription {
  /** Display name, such as `Console - X11: :0`. */
  name: string
  /** Name of the desktop environment, if reported. */
  desktopName: string
  username: string
  /** Stable as long as this desktop exists. */
  systemSessionId: number
  /** Console of the device, or a Remote Desktop session. */
  type: DesktopSession['type']
  /** False while the system shows its login screen. */
  isSignedIn: boolean
}

/** Desktop of this device. A desktop without a launcher cannot be shown; the obstacle is the reason. */
export interface FoundDesktop extends DesktopDescription {
  launcher: Launcher | null
  obstacle: string
}

/**
 * Search results, each available as soon as known, so that a slow result does not delay the others. Null for no result.
 */
export type Arriving<T> = readonly (T | Promise<T | null>)[]

/** Starts the process that serves one desktop, as the desktop's user. */
export interface Launcher {
  /** While the key is unchanged, the running process continues to serve the desktop. */
  key: string
  /** Starts the process; tests replace this program with `command`. */
  start(command?: CommandLine): StartedProcess
}

export interface StartedProcess {
  /** Undefined if the process could not be started. */
  pid: number | undefined
  /** Channel for calls. Rejects if the process never connected. */
  channel: Promise<Socket>
  /** Output streams for the log; empty if the output is not available here. */
  outputs: Promise<readonly Readable[]>
  /** Resolves with the exit status, or with the reason why the process did not start. */
  ended: Promise<string>
  /**
   * Starts a helper that shows this process what the system shows to no program of a person, and resolves with the name
   * of its pipe. Rejects with a UserError. Missing where there is no such helper.
   */
  openSecureDesktop?(): Promise<string>
  /** Ends the helpers. */
  closeSecureDesktop?(): void
  /** Asks the process to exit; `isForced` kills it. */
  end(isForced: boolean): void
}
