import type { Clock } from '../ground/clock.ts'
import type { Sleep } from './sleeps.ts'

const checkMs = 30_000
/** Minimum jump: above the steps of a time service that slews the clock, and above timer delays on a busy computer. */
const leastMs = 60_000

export interface ClockJump {
  /** Time after the jump. */
  at: number
  /** Negative: the clock was set back. */
  byMs: number
}

/**
 * Detects jumps of the wall clock, which end sessions early and make this server reject signed messages of devices, and
 * sleep of the computer, which breaks connections. Compares wall clock and timer with the time since the computer
 * started, which includes sleep.
 */
export class ClockWatch {
  #lastJump: ClockJump | undefined
  #lastSleep: Sleep | undefined

  /** The newest jump since the start. */
  get lastJump(): ClockJump | undefined {
    return this.#lastJump
  }

  /** The newest sleep since the start. */
  get lastSleep(): Sleep | undefined {
    return this.#lastSleep
  }

  /** Starts watching; returns a function that stops it. */
  start(clock: Clock, onSleep: (sleep: Sleep) => void): () => void {
    let up = clock.uptime()
    let offset = clock.now() - up
    return clock.every(checkMs, () => {
      const now = clock.now()
      const lateMs = clock.uptime() - up - checkMs
      up += lateMs + checkMs
      const byMs = now - up - offset
      offset += byMs
      if (Math.abs(byMs) >= leastMs) {
        this.#lastJump = { at: now, byMs }
      }
      if (lateMs >= leastMs) {
        this.#lastSleep = { from: now - Math.round(lateMs), to: now }
        onSleep(this.#lastSleep)
      }
    })
  }
}
