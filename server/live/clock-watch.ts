import type { Clock } from '../clock.ts'

const checkMs = 30_000
/** Larger steps than those of a time service that slews the clock. */
const leastJumpMs = 60_000

export interface ClockJump {
  /** Time after the jump. */
  at: number
  /** Negative: the clock was set back. Positive: it was set forward, or the machine slept. */
  byMs: number
}

/** Notices jumps of the wall clock, by which sessions end early, and signed messages of devices are refused. */
export class ClockWatch {
  #lastJump: ClockJump | undefined

  /** The newest jump since the start. */
  get lastJump(): ClockJump | undefined {
    return this.#lastJump
  }

  /** Starts watching; returns a function that stops it. */
  start(clock: Clock): () => void {
    let offset = clock.now() - clock.monotonic()
    return clock.every(checkMs, () => {
      const now = clock.now()
      const byMs = now - clock.monotonic() - offset
      offset += byMs
      if (Math.abs(byMs) >= leastJumpMs) {
        this.#lastJump = { at: now, byMs }
      }
    })
  }
}
