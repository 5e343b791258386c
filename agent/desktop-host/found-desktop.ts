import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { DesktopSession } from '../../shared/dtos/desktop-session.ts'
import type { CommandLine } from '../base/command-line.ts'

/** What people are told of a desktop, whether it can be shown or not. */
export interface DesktopDescription {
  /** For people: `Console - X11: :0`. */
  name: string
  /** Of the desktop environment, where it says so. */
  desktopName: string
  username: string
  /** The same for as long as this desktop is there. */
  systemSessionId: number
  /** At the device itself, or from another one by Remote Desktop. */
  type: DesktopSession['type']
  /** False where the system waits for somebody to sign in. */
  isSignedIn: boolean
}

/** A desktop of this device. One that has no launcher cannot be shown; the obstacle says why. */
export interface FoundDesktop extends DesktopDescription {
  launcher: Launcher | null
  obstacle: string
}

/** Results of a search, each as soon as it is known: a slow one does not delay the others. Null where nothing was found. */
export type Arriving<T> = readonly (T | Promise<T | null>)[]

/** Starts the process that serves one desktop, as the user whose desktop it is. */
export interface Launcher {
  /** While this stays the same, the process that was started goes on serving the desktop. */
  key: string
  /** `command` is what is started in place of this program; tests bring their own. */
  start(command?: CommandLine): StartedProcess
}

/** A process that was started for a desktop. */
export interface StartedProcess {
  /** Undefined when it could not be started. */
  pid: number | undefined
  /** Carries the calls. Rejects when the process never came to it. */
  channel: Promise<Socket>
  /** What it writes for the log; empty where nothing of it comes here. */
  outputs: Promise<readonly Readable[]>
  /** How it ended, or why it did not start. */
  ended: Promise<string>
  /** Asks it to end; `isForced` ends it without asking. */
  end(isForced: boolean): void
}
