import { recordingNoticeType, type RecordingNotice } from '../../shared/dtos/recording-notice.ts'
import type { RecordingMode, RecordingStateDto } from '../../shared/dtos/recording.ts'
import { recordingEntries } from '../../shared/recording-entries.ts'
import type { App } from '../call/call.ts'
import { agentMessage } from '../devices/calls.ts'
import type { Actor } from '../ground/actor.ts'
import { conflict } from '../ground/errors.ts'
import type { Mark, Segment } from './block-file.ts'
import type { RecentMemory, RecentSegments } from './recent-segments.ts'
import type { RecordedSession, SessionRecorder } from './recorded-session.ts'
import { Recording } from './recording.ts'
import type { RecordingRow } from './tables.ts'
import { ScreenTap } from './screen-tap.ts'
import { SegmentBuilder } from './segments.ts'
import { TerminalTap } from './terminal-tap.ts'

const tickMs = 500
/** Memory for the last minutes of a session. */
const maxRecentBytes = { screen: 32 * 1024 * 1024, terminal: 1024 * 1024 }
/** Time for which the line on the screen says that the last minutes were kept. */
const keptNoticeMs = 20_000

const unstored = 'A policy requires that this session is recorded, and the server cannot store the recording.'

interface RecorderOptions {
  app: App
  session: RecordedSession
  mode: Exclude<RecordingMode, 'off'>
  memory: RecentMemory
}

/** Gathers what a session shows: keeps the last two minutes in memory, and stores what is recorded. */
export class Recorder implements SessionRecorder {
  readonly session: RecordedSession
  readonly mode: RecordingMode
  readonly screen: ScreenTap | undefined
  readonly terminal: TerminalTap | undefined
  readonly #app: App
  readonly #memory: RecentMemory
  readonly #builder = new SegmentBuilder((segment) => this.#take(segment))
  readonly #recent: RecentSegments
  readonly #startedAt: number
  readonly #cancelTicks: () => void
  #recording: Recording | undefined
  #isBusy = false
  #work: Promise<unknown> = Promise.resolve()
  #hasBegun = false
  #hasEnded = false
  #problem: string | null = null
  #cancelKeptNotice = () => {}

  constructor({ app, session, mode, memory }: RecorderOptions) {
    this.session = session
    this.mode = mode
    this.#app = app
    this.#memory = memory
    this.#startedAt = app.clock.monotonic()
    this.#recent = memory.open(maxRecentBytes[session.kind], (segment) => {
      // A file that is being written may still need it.
      if (!this.#isBusy && !this.isRecording) {
        this.#builder.reuse(segment)
      }
    })
    const tap = { builder: this.#builder, now: () => this.#now() }
    this.screen =
      session.kind === 'screen'
        ? new ScreenTap({
            ...tap,
            canInteract: session.canInteract ?? true,
            assembly: app.recorders.assembly,
            owner: { tenant: session.device.tenantId, device: session.device.id },
          })
        : undefined
    this.terminal = session.kind === 'terminal' ? new TerminalTap(tap) : undefined
    this.#cancelTicks = app.clock.every(tickMs, () => {
      this.#builder.tick(this.#now())
      this.#recording?.tick()
    })
  }

  get isRecording(): boolean {
    return this.#recording !== undefined
  }

  get storedBytes(): number {
    return this.#recording?.bytes ?? 0
  }

  get state(): RecordingStateDto {
    const [first] = this.#recent.all
    const recentSeconds = first ? Math.round((this.#now() - first.from) / 1000) : 0
    return { mode: this.mode, isRecording: this.isRecording, recentSeconds, problem: this.#problem }
  }

  /**
   * Starts the recording that a policy requires, with all that was shown so far. Ends the session and returns the reason
   * if nothing can be stored.
   */
  async begin(): Promise<string | undefined> {
    this.#hasBegun = true
    if (this.mode !== 'always') {
      return undefined
    }
    try {
      await this.start(this.session.actor, 'policy')
      return undefined
    } catch (error) {
      this.#app.log.warn({ err: error, sessionId: this.session.id }, 'A session that must be recorded cannot be.')
      this.session.stop(unstored)
      return unstored
    }
  }

  /** Records from now on. */
  async start(actor: Actor, cause: 'policy' | 'button'): Promise<void> {
    if (!this.#hasBegun) {
      // The device does not know the session yet, so that the person there could not be told.
      throw conflict('The session has not begun yet. Try again when it shows the device.')
    }
    await this.#exclusively(async () => {
      const recording = await this.#open(actor, cause, this.#wallClock(this.#now()))
      this.#builder.expectKey()
      if (cause === 'policy') {
        this.#recent.all.forEach((segment) => recording.write(segment))
      }
      this.#problem = null
      this.#recording = recording
      this.tellDevice()
    })
  }

  /** Stores the last minutes, which end now. */
  async keep(actor: Actor): Promise<RecordingRow> {
    return await this.#exclusively(async () => {
      this.#closeLast()
      const segments = this.#recent.all
      const [first] = segments
      if (!first) {
        throw conflict('Nothing was shown yet that could be kept.')
      }
      const recording = await this.#open(actor, 'kept', this.#wallClock(first.from))
      segments.forEach((segment) => recording.write(segment))
      await recording.finish(actor)
      this.tellDevice(true)
      this.#cancelKeptNotice()
      this.#cancelKeptNotice = this.#app.clock.after(keptNoticeMs, () => this.tellDevice())
      return recording.row
    })
  }

  /** Ends the recording; the session goes on. */
  async stop(actor: Actor): Promise<void> {
    await this.#exclusively(async () => {
      this.#closeLast()
      await this.#finish(actor)
      this.tellDevice()
    })
  }

  /** Marks a file that the person of this session sent or fetched. */
  mark(kind: Mark['kind'], text: string): void {
    this.#builder.mark({ at: this.#now(), kind, text: text.slice(0, 200) })
  }

  /** Tells the device whether the session is recorded, for the line on the screen. */
  tellDevice(isRecorded = this.isRecording): void {
    if (this.session.kind === 'screen' && !this.#hasEnded) {
      const { device, id } = this.session
      const notice: RecordingNotice = { sessionId: id, isRecorded }
      const connectionId = this.#app.fleet.get(device.id)?.connectionId ?? ''
      if (connectionId !== '') {
        void this.#app.hubs.agent.send(connectionId).ReceiveDto(agentMessage(recordingNoticeType, notice))
      }
    }
  }

  /** Ends with the session. */
  async end(): Promise<void> {
    if (this.#hasEnded) {
      return
    }
    this.#hasEnded = true
    this.#cancelTicks()
    this.#cancelKeptNotice()
    // A recording that is being started gets the last segment too.
    await this.#work.catch(() => {})
    this.screen?.close()
    this.#closeLast()
    this.#memory.close(this.#recent)
    await this.#finish(this.session.actor)
  }

  /** Closes the last segment of a recording. */
  #closeLast() {
    this.#builder.add(recordingEntries.end, this.#now(), new Uint8Array())
    this.#builder.close()
  }

  #now() {
    return Math.round(this.#app.clock.monotonic() - this.#startedAt)
  }

  #wallClock(at: number) {
    return this.#app.clock.now() - (this.#now() - at)
  }

  #take(segment: Segment) {
    this.#recording?.write(segment)
    this.#recent.add(segment)
    this.#memory.trim()
  }

  async #open(actor: Actor, cause: 'policy' | 'button' | 'kept', startedAt: number) {
    if (await this.#app.diskSpace.isLow()) {
      throw conflict('The disk of the server is full, so nothing can be recorded. Tell its administrator.')
    }
    // A failure to keep the last minutes leaves the session alone, and its recording.
    const onProblem = (problem: string) => (cause === 'kept' ? this.#note(problem) : this.#fail(problem))
    return await Recording.start(this.#app, { session: this.session, cause, actor, startedAt, onProblem })
  }

  #note(problem: string) {
    this.#problem = problem
    this.#app.log.warn({ sessionId: this.session.id, problem }, 'A session can no longer be recorded.')
  }

  /** A recording that a policy requires takes its session along; any other leaves the session alone. */
  #fail(problem: string) {
    this.#note(problem)
    if (this.mode === 'always') {
      this.session.stop(`${problem} A policy requires that this session is recorded, so it ended.`)
    } else {
      void this.#stopFailed()
    }
  }

  /** Stops a recording that can no longer be stored, when what is being stored meanwhile is done. */
  async #stopFailed() {
    while (this.#isBusy) {
      await this.#work.catch(() => {})
    }
    if (this.#recording?.hasFailed) {
      await this.stop(this.session.actor).catch((error: unknown) => {
        this.#app.log.warn({ err: error, sessionId: this.session.id }, 'The end of a recording cannot be stored.')
      })
    }
  }

  async #finish(actor: Actor) {
    const recording = this.#recording
    this.#recording = undefined
    await recording?.finish(actor)
  }

  async #exclusively<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isBusy) {
      throw conflict('The recording is being started or stopped. Try again.')
    }
    this.#isBusy = true
    const running = work()
    this.#work = running
    try {
      return await running
    } finally {
      this.#isBusy = false
    }
  }
}
