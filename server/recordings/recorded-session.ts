import type { RecordingKind, RecordingMode, RecordingStateDto } from '../../shared/dtos/recording.ts'
import type { Actor } from '../ground/actor.ts'
import type { Principal } from '../ground/principal.ts'
import type { Mark } from './block-file.ts'
import type { ScreenTap } from './screen-tap.ts'
import type { RecordingRow } from './tables.ts'
import type { TerminalTap } from './terminal-tap.ts'

/** A session that can be recorded. */
export interface RecordedSession {
  id: string
  kind: RecordingKind
  device: { id: string; tenantId: string; customerId: string | null; name: string; alias: string | null }
  principal: Principal
  actor: Actor
  /** Id under which its viewer knows a terminal. */
  terminalId?: string
  /** Whether the device accepts input of a remote-control session. */
  canInteract?: boolean
  /** Ends the session on both sides. */
  stop(reason: string): void
}

/** Recorder of a running session, as others know it. */
export interface SessionRecorder {
  readonly session: RecordedSession
  readonly mode: RecordingMode
  readonly state: RecordingStateDto
  readonly isRecording: boolean
  readonly screen: ScreenTap | undefined
  readonly terminal: TerminalTap | undefined
  /** Bytes of the running recording on the disk. */
  readonly storedBytes: number
  /**
   * Starts the recording that a policy requires, with all that was shown so far. Ends the session and returns the reason
   * if nothing can be stored.
   */
  begin(): Promise<string | undefined>
  /** Records from now on. */
  start(actor: Actor, cause: 'button'): Promise<void>
  /** Ends the recording; the session goes on. */
  stop(actor: Actor): Promise<void>
  /** Stores the last minutes, which end now. */
  keep(actor: Actor): Promise<RecordingRow>
  /** Marks a file that the person of this session sent or fetched. */
  mark(kind: Mark['kind'], text: string): void
  /** Tells the device whether the session is recorded. */
  tellDevice(): void
  /** Ends with the session. */
  end(): Promise<void>
}
