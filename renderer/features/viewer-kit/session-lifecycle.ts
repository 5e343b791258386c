import type { EndCause, SessionState } from './session-state.ts'

interface LifecycleOptions<Question> {
  onState: (state: SessionState<Question>) => void
  /** Opens a lost session again. */
  reconnect: () => void
  /** Delays before the attempts to reconnect. Without `exhausted` the last one repeats. */
  retryDelaysMs: readonly number[]
  /** Reason of the end after the last attempt. */
  exhausted?: string
}

/** State of one session, which of its attempts counts, and when a lost one reconnects. */
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

  /** Starts an attempt. Returns whether it is still the latest: the answer to an older one is dropped. */
  begin(): () => boolean {
    clearTimeout(this.#timer)
    this.#attempt++
    return this.current()
  }

  /** Whether the attempt of now is still the latest. */
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

  /** Marks the session as lost; `retryLater` also reconnects after a delay. */
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

  /** Ends a session that the other side closed in order, unless the device turns out to be unreachable meanwhile. */
  endAfter(delayMs: number, cause: EndCause, reason: string): void {
    this.lose()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.end(cause, reason), delayMs)
  }

  end(cause: EndCause, reason: string): void {
    this.begin()
    this.enter({ phase: 'ended', cause, reason })
  }

  /** A lost session reconnects at once when the device can be reached again. */
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
