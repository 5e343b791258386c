import { deviceNotConnected, terminalNotOpen } from '../../../shared/dtos/hub-result.ts'
import type { TerminalSessionResult } from '../../../shared/dtos/terminal.ts'
import type { LiveState } from '../../api/hubs.ts'
import { newId } from '../../api/new-id.ts'
import type { TerminalMessage } from './input-queue.ts'
import type { TerminalKind, TerminalState } from './session-types.ts'
import type { SharedSize } from './shared-size.ts'
import type { terminalCalls } from './terminal-calls.ts'
import { forgetTerminal, rememberedTerminal, rememberTerminal } from './terminal-id.ts'

/** Between two tries to reach an agent that the server does not see, though the device was online a moment ago. */
const retryMs = 1_000
/** A call that takes longer has no shell behind it that anybody sees; what is typed meanwhile is held. */
const patienceMs = 3_000

interface AttachmentOptions {
  /** Under what the terminal is remembered, for a reload. */
  place: string
  /** The program that shall run, if the device has it. */
  shell: string | undefined
  calls: ReturnType<typeof terminalCalls>
  size: SharedSize
  /** Whether the channel to the server is there. */
  isLive: () => boolean
  onState: (state: TerminalState) => void
  /** A terminal is asked for: the earlier one counts no more. */
  onOpening: () => void
  /** There is a shell; `isAnother`: in place of one that the screen still shows. */
  onOpen: (shell: TerminalSessionResult, kind: TerminalKind, isAnother: boolean) => void
  /** Nobody sees what becomes of what is typed. */
  onLost: () => void
  /** The shell answers again. */
  onBack: () => void
}

/** Which terminal of the device is this one: gets it, notices when it is lost, and comes back to it or to another. */
export class Attachment {
  readonly #options: AttachmentOptions
  #terminalId = ''
  /** Unknown until the agent has answered. */
  #kind: TerminalKind | undefined
  /** There was a shell before, so that another one must be named as such. */
  #hadShell = false
  #phase: TerminalState['phase'] = 'waiting'
  #isDeviceOnline = false
  /** Counts the attempts, so that the answer to an older one is not taken for the newest. */
  #attempt = 0

  constructor(options: AttachmentOptions) {
    this.#options = options
  }

  get terminalId(): string {
    return this.#terminalId
  }

  get kind(): TerminalKind | undefined {
    return this.#kind
  }

  get phase(): TerminalState['phase'] {
    return this.#phase
  }

  /** Sends what was typed. Rejects when the shell may not have got it. */
  async send(message: TerminalMessage): Promise<void> {
    const isRaw = this.#kind === 'pty' || undefined
    const { isSuccess, reason } = await this.#watch(this.#options.calls.send(this.#terminalId, isRaw, message))
    if (!isSuccess) {
      throw new Error(reason ?? undefined)
    }
  }

  /** What was sent failed: where the shell is gone, another one is started. */
  takeFailure(error: unknown): void {
    this.#lose()
    if (error instanceof Error && error.message === terminalNotOpen) {
      void this.#create()
    }
  }

  /** Starts another shell; what the screen shows of earlier ones is to be gone. */
  openAfresh(): void {
    forgetTerminal(this.#options.place)
    this.#hadShell = false
    void this.#create()
  }

  /** Goes on after the channel, the device or the page was away. */
  resume(): void {
    if (!this.#options.isLive() || !this.#isDeviceOnline) {
      return
    }
    const known = rememberedTerminal(this.#options.place)
    // Also when this page never showed it: it was there before the page was loaded.
    this.#hadShell ||= known !== undefined
    if (known?.kind === 'pty') {
      void this.#attach(known.id)
      return
    }
    if (known) {
      // What it printed meanwhile is lost, and its agent prints to a connection that is gone.
      this.#options.calls.close(known.id)
    }
    void this.#create()
  }

  /** Takes the state of the channel to the server. */
  setChannel(state: LiveState['state']): void {
    if (this.#phase === 'ended') {
      return
    }
    if (state === 'live') {
      this.resume()
    } else if (this.#phase !== 'waiting') {
      this.#lose()
    }
  }

  setDeviceOnline(isOnline: boolean): void {
    const wasOnline = this.#isDeviceOnline
    this.#isDeviceOnline = isOnline
    if (isOnline && !wasOnline && this.#phase !== 'ended') {
      this.resume()
    } else if (!isOnline && this.#phase !== 'ended' && this.#phase !== 'waiting') {
      this.#lose()
    }
  }

  /** The shell has ended by itself. */
  end(): void {
    forgetTerminal(this.#options.place)
    this.#enter({ phase: 'ended' })
  }

  /** Ends the running shell. */
  close(): void {
    forgetTerminal(this.#options.place)
    if (this.#terminalId && this.#options.isLive()) {
      this.#options.calls.close(this.#terminalId)
    }
  }

  /** No answer counts from now on. */
  letGo(): void {
    this.#attempt++
  }

  #enter(state: TerminalState) {
    this.#phase = state.phase
    this.#options.onState(state)
  }

  #lose() {
    this.#options.onLost()
    this.#enter({ phase: 'lost' })
  }

  readonly #fail = (reason: string | null) => this.#enter({ phase: 'failed', reason: reason ?? '' })

  /** Runs a call to the shell; while it takes long, the terminal counts as lost. */
  async #watch<T>(call: Promise<T>) {
    const mine = this.#attempt
    const timer = setTimeout(() => this.#phase === 'open' && mine === this.#attempt && this.#lose(), patienceMs)
    const result = await call.finally(() => clearTimeout(timer))
    if (this.#phase === 'lost' && mine === this.#attempt && this.#options.isLive() && this.#isDeviceOnline) {
      this.#enter({ phase: 'open' })
      this.#options.onBack()
    }
    return result
  }

  #create() {
    const { calls, shell, size } = this.#options
    const id = newId()
    return this.#get(id, true, () => calls.create(id, shell, size.current), this.#fail)
  }

  #attach(id: string) {
    const { calls, size } = this.#options
    const call = () => {
      size.follow(undefined)
      return calls.attach(id, size.current)
    }
    // Refused: the shell has ended, and a new one is started.
    return this.#get(id, false, call, () => void this.#create())
  }

  /** Runs one attempt to get a terminal; what it answers counts only while no later one has begun. */
  async #get(
    id: string,
    isCreated: boolean,
    call: () => Promise<TerminalSessionResult>,
    onRefused: (reason: string | null) => void,
  ) {
    const mine = ++this.#attempt
    this.#terminalId = id
    this.#kind = undefined
    this.#options.onOpening()
    this.#enter({ phase: 'opening' })
    try {
      const result = await call()
      if (mine === this.#attempt) {
        if (result.isSuccess) {
          this.#begin(result, isCreated)
        } else if (result.reason === deviceNotConnected) {
          this.#lose()
          setTimeout(() => mine === this.#attempt && this.#phase === 'lost' && this.resume(), retryMs)
        } else {
          onRefused(result.reason)
        }
      }
    } catch (error) {
      if (mine === this.#attempt && this.#options.isLive()) {
        this.#fail(error instanceof Error ? error.message : null)
      }
    }
  }

  #begin(result: TerminalSessionResult, isCreated: boolean) {
    const kind = result.isPty ? 'pty' : 'line'
    const isAnother = isCreated && this.#hadShell
    this.#kind = kind
    this.#hadShell = true
    this.#enter({ phase: 'open' })
    rememberTerminal(this.#options.place, this.#terminalId, kind)
    this.#options.onOpen(result, kind, isAnother)
  }
}
