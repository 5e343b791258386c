import type { EndCause, SessionState } from './session-state.ts'

interface LifecycleOptions<Question> {
  onState: (state: SessionState<Question>) => void
  /** Reconnects a lost session. */
  reconnect: () => void
  /** Delays before the attempts to reconnect. Without `exhausted` the last delay repeats. */
  retryDelaysMs: readonly number[]
  /** Reason of the end after the last attempt. */
  exhausted?: string
}

/** State machine of one session: phases, current attempt, and reconnecting after a loss. */
export class SessionLifecycle<Question = never> {
  readonly #options: LifecycleOptions<Question>
  #state: SessionState<Question> = { phase: 'idle' }
  #isReachable = false
  #attempt = 0
  #failures = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(options: LifecycleOptions<Question>) {
    this.#options = options
  }

  get state(): SessionState<Question> {
    return this.#state
  }

  /** Whether server and device can be reached. */
  get isReachable(): boolean {
    return this.#isReachable
  }

  /** Starts an attempt. Returns a check whether it is still the latest one; answers to older attempts are dropped. */
  begin(): () => boolean {
    clearTimeout(this.#timer)
    this.#attempt++
    return this.current()
  }

  /** Returns a check whether the current attempt is still the latest one. */
  current(): () => boolean {
    const mine = this.#attempt
    return () => mine === this.#attempt
  }

  enter(state: SessionState<Question>): void {
    if (state.phase !== 'lost' && state.phase !== 'connecting') {
      this.#failures = 0
    }
    this.#state = state
    this.#options.onState(state)
  }

  /** Marks the session as lost. */
  lose(): void {
    if (this.#state.phase !== 'lost') {
      this.enter({ phase: 'lost', since: Date.now() })
    }
  }

  retryLater(): void {
    this.lose()
    clearTimeout(this.#timer)
    if (!this.#isReachable) {
      return
    }
    const { retryDelaysMs, exhausted, reconnect } = this.#options
    const delayMs = retryDelaysMs[this.#failures++] ?? (exhausted === undefined ? retryDelaysMs.at(-1) : undefined)
    if (delayMs === undefined) {
      this.end('failure', exhausted ?? '')
    } else {
      this.#timer = setTimeout(reconnect, delayMs)
    }
  }

  /** Ends a session that the other side closed normally, unless the device turns out to be unreachable meanwhile. */
  endAfter(delayMs: number, cause: EndCause, reason: string): void {
    this.lose()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.end(cause, reason), delayMs)
  }

  end(cause: EndCause, reason: string): void {
    this.begin()
    this.enter({ phase: 'ended', cause, reason })
  }

  /** Reconnects a lost session at once when the device can be reached again. */
  setReachable(isReachable: boolean): void {
    if (isReachable === this.#isReachable) {
      return
    }
    this.#isReachable = isReachable
    this.#failures = 0
    if (this.#state.phase === 'lost') {
      clearTimeout(this.#timer)
      if (isReachable) {
        this.#options.reconnect()
      }
    }
  }

  /** Drops pending answers and retries. */
  stop(): void {
    this.begin()
  }
}
