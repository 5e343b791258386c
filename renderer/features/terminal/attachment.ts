import type { z } from 'zod'
import { deviceNotConnected, serverNotReached, terminalNotOpen } from '../../../shared/dtos/hub-result.ts'
import type { TerminalInputDto, TerminalSessionResult } from '../../../shared/dtos/terminal.ts'
import type { viewer } from '../../api/hubs.ts'
import { newId } from '../../api/new-id.ts'
import { SessionLifecycle } from '../viewer-kit/session-lifecycle.ts'
import type { SessionState } from '../viewer-kit/session-state.ts'
import type { CompletionRequest } from './completer.ts'
import type { TerminalKind, TerminalMessage } from './session-types.ts'
import type { SharedSize } from './shared-size.ts'
import { forgetTerminal, rememberedTerminal, rememberTerminal } from './terminal-id.ts'

/** Delay before the next attempt to reach an agent that just went offline. */
const retryMs = 1_000
/** Time after which a call without an answer marks the terminal as lost; further input is then held. */
const slowCallMs = 3_000

export type TerminalHub = Pick<
  typeof viewer,
  'CreateTerminalSession2' | 'SendTerminalInput2' | 'CloseTerminalSession2' | 'GetPwshCompletions'
>

interface AttachmentOptions {
  hub: TerminalHub
  deviceId: string
  /** Storage key of the terminal, for a reload. */
  place: string
  /** Program to run, if the device has it. */
  shell: string | undefined
  size: SharedSize
  onState: (state: SessionState) => void
  /** Called before each request, which replaces the previous terminal. */
  onOpening: () => void
  /** Called when a shell runs. `isAnother`: the shell replaces the one on screen. */
  onOpen: (shell: TerminalSessionResult, kind: TerminalKind, isAnother: boolean) => void
  /** Called when output stops, so the effect of input is unknown. */
  onLost: () => void
  /** Called when the shell responds again. */
  onBack: () => void
}

/**
 * Connection of this page to one terminal of the device: opens the terminal, detects its loss, and reattaches or
 * replaces it.
 */
export class Attachment {
  readonly #options: AttachmentOptions
  readonly #lifecycle: SessionLifecycle
  #terminalId = ''
  /** Undefined until the agent has answered. */
  #kind: TerminalKind | undefined
  /** Whether a shell ran before; a new one is then announced as another. */
  #hadShell = false

  constructor(options: AttachmentOptions) {
    this.#options = options
    this.#lifecycle = new SessionLifecycle({
      onState: options.onState,
      reconnect: () => this.#resume(),
      retryDelaysMs: [retryMs],
    })
  }

  get terminalId(): string {
    return this.#terminalId
  }

  get kind(): TerminalKind | undefined {
    return this.#kind
  }

  get phase(): SessionState['phase'] | 'asking' {
    return this.#lifecycle.state.phase
  }

  /** Sends input. Rejects if the shell may not have received it. */
  async send(message: TerminalMessage): Promise<void> {
    const isRaw = this.#kind === 'pty' || undefined
    const { isSuccess, reason } = await this.#watch(this.#call(this.#terminalId, { isRaw, ...message }))
    if (!isSuccess) {
      throw new Error(reason ?? undefined)
    }
  }

  complete(request: CompletionRequest): ReturnType<TerminalHub['GetPwshCompletions']> {
    const { hub, deviceId } = this.#options
    return hub.GetPwshCompletions({ deviceId, terminalId: this.#terminalId, ...request })
  }

  /** Handles a failed send; starts another shell if this one no longer exists. */
  takeFailure(error: unknown): void {
    this.#lose()
    if (error instanceof Error && error.message === terminalNotOpen) {
      void this.#create()
    }
  }

  /** Clears the screen and starts another shell. */
  openAfresh(): void {
    forgetTerminal(this.#options.place)
    this.#hadShell = false
    void this.#create()
  }

  /** Opens or reattaches when server and device can be reached, unless the shell has exited. */
  setReachable(isReachable: boolean): void {
    const { state, isReachable: wasReachable } = this.#lifecycle
    this.#lifecycle.setReachable(isReachable)
    const hasExited = state.phase === 'ended' && state.cause === 'device'
    if (isReachable === wasReachable || hasExited) {
      return
    }
    if (!isReachable && state.phase !== 'idle') {
      this.#lose()
    } else if (isReachable && state.phase !== 'lost') {
      this.#resume()
    }
  }

  /** Handles the exit of the shell. */
  end(): void {
    forgetTerminal(this.#options.place)
    this.#lifecycle.end('device', '')
  }

  /** Ends the running shell. */
  close(): void {
    forgetTerminal(this.#options.place)
    if (this.#terminalId && this.#lifecycle.isReachable) {
      this.#closeShell(this.#terminalId)
    }
  }

  detach(): void {
    this.#lifecycle.stop()
  }

  #lose() {
    this.#options.onLost()
    this.#lifecycle.lose()
  }

  #retryLater() {
    this.#lose()
    this.#lifecycle.retryLater()
  }

  readonly #fail = (reason: string | null) => this.#lifecycle.end('failure', reason ?? '')

  #resume() {
    const known = rememberedTerminal(this.#options.place)
    // Terminals from before a reload count as well.
    this.#hadShell ||= known !== undefined
    if (known?.kind === 'pty') {
      void this.#attach(known.id)
      return
    }
    if (known) {
      // A line-based shell cannot be reattached: its agent sends output to the closed connection.
      this.#closeShell(known.id)
    }
    void this.#create()
  }

  /** Marks the terminal as lost while a call is slow, and as open again when the call returns. */
  async #watch<T>(call: Promise<T>) {
    const isCurrent = this.#lifecycle.current()
    const timer = setTimeout(() => this.phase === 'open' && isCurrent() && this.#lose(), slowCallMs)
    const result = await call.finally(() => clearTimeout(timer))
    if (this.phase === 'lost' && isCurrent() && this.#lifecycle.isReachable) {
      this.#lifecycle.enter({ phase: 'open' })
      this.#options.onBack()
    }
    return result
  }

  #call(
    terminalId: string,
    input: Omit<z.input<typeof TerminalInputDto>, 'terminalId'>,
  ): Promise<TerminalSessionResult> {
    const { hub, deviceId } = this.#options
    return hub.SendTerminalInput2({ deviceId, input: { terminalId, ...input } })
  }

  /** Ends a shell; failures are ignored. */
  #closeShell(terminalId: string) {
    const { hub, deviceId } = this.#options
    void hub.CloseTerminalSession2({ deviceId, terminalId }).catch(() => {})
  }

  /** Opens the device's default shell, then replaces it by the requested one if the device has it. */
  #create() {
    const { hub, deviceId, shell, size } = this.#options
    const terminalId = newId()
    const call = async () => {
      const created = await hub.CreateTerminalSession2({ deviceId, terminalId })
      return created.isSuccess && shell !== undefined && shell !== created.shell && created.shells?.includes(shell)
        ? await this.#call(terminalId, { input: '', isRaw: true, shell, ...size.current })
        : created
    }
    return this.#get(terminalId, true, call, this.#fail)
  }

  /** Directs output to this page, starting with recent output. */
  #attach(terminalId: string) {
    const { size } = this.#options
    const call = () => {
      size.follow(undefined)
      return this.#call(terminalId, { input: '', isRaw: true, isAttach: true, ...size.current })
    }
    // On rejection the shell has ended, so a new one is started.
    return this.#get(terminalId, false, call, () => void this.#create())
  }

  /** Requests a terminal. The answer is ignored if a later request has begun. */
  async #get(
    id: string,
    isCreated: boolean,
    call: () => Promise<TerminalSessionResult>,
    onRejected: (reason: string | null) => void,
  ) {
    const isCurrent = this.#lifecycle.begin()
    this.#terminalId = id
    this.#kind = undefined
    this.#options.onOpening()
    this.#lifecycle.enter({ phase: 'connecting' })
    try {
      const result = await call()
      if (isCurrent()) {
        if (result.isSuccess) {
          this.#begin(result, isCreated)
        } else if (result.reason === deviceNotConnected) {
          this.#retryLater()
        } else {
          onRejected(result.reason)
        }
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : null
      if (isCurrent() && this.#lifecycle.isReachable) {
        if (reason === serverNotReached) {
          this.#retryLater()
        } else {
          this.#fail(reason)
        }
      }
    }
  }

  #begin(result: TerminalSessionResult, isCreated: boolean) {
    const kind = result.isPty ? 'pty' : 'line'
    const isAnother = isCreated && this.#hadShell
    this.#kind = kind
    this.#hadShell = true
    this.#lifecycle.enter({ phase: 'open' })
    rememberTerminal(this.#options.place, this.#terminalId, kind)
    this.#options.onOpen(result, kind, isAnother)
  }
}
