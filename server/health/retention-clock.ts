import { dayMs } from '../../shared/durations.ts'
import type { Clock } from '../ground/clock.ts'

/** Largest difference of a clock that is right: above time zones that were mistaken for each other. */
const toleranceMs = dayMs
/** Longest time for which a server may be off without its clock being doubted. */
const downtimeMs = 30 * dayMs
/** Longest running time after which a clock counts as right that nobody has corrected. */
const longestDoubtMs = 7 * dayMs
/** A clock that is two days ahead is followed after two days: what it costs if it is wrong is removed two days early. */
const doubtOf = (aheadMs: number) => Math.min(longestDoubtMs, Math.abs(aheadMs))

/** State that is stored; null before the first run. */
interface StoredTime {
  retentionAt: number | null
  doubtedMs: number
}

/** Doubt about a clock that is far ahead. */
export interface Doubt {
  byMs: number
  /** When the clock counts as right, if nobody corrects it. */
  untilMs: number
}

/**
 * Time by which old rows are removed. A clock that was set far ahead makes everything old; it may be corrected, a deletion
 * cannot. So this time goes on by what really passed, and follows a jump of the clock only after having run as long as
 * the jump, or a week.
 */
export class RetentionClock {
  readonly #clock: Clock
  #at: number
  #up: number
  #doubtedMs = 0
  /** Whether the clock was right at some time of this run. */
  #wasRight = false

  constructor(clock: Clock) {
    this.#clock = clock
    this.#at = clock.now()
    this.#up = clock.uptime()
  }

  /** Continues from what an earlier run has stored. */
  open({ retentionAt, doubtedMs }: StoredTime): void {
    this.#at = retentionAt ?? this.#clock.now()
    this.#doubtedMs = doubtedMs
  }

  /** Time by which rows are old. */
  now(): number {
    return Math.min(this.#follow(), this.#clock.now())
  }

  /** Undefined while the clock is not far ahead. */
  get doubt(): Doubt | undefined {
    const byMs = this.#clock.now() - this.#follow()
    return byMs > 0 ? { byMs, untilMs: this.#clock.now() + doubtOf(byMs) - this.#doubtedMs } : undefined
  }

  get stored(): StoredTime & { retentionAt: number } {
    return { retentionAt: this.#follow(), doubtedMs: this.#doubtedMs }
  }

  #follow(): number {
    const [now, up] = [this.#clock.now(), this.#clock.uptime()]
    const passedMs = up - this.#up
    this.#up = up
    this.#at += passedMs
    const aheadMs = now - this.#at
    const isRight = aheadMs >= -toleranceMs && aheadMs <= (this.#wasRight ? toleranceMs : downtimeMs)
    this.#doubtedMs = isRight ? 0 : this.#doubtedMs + passedMs
    if (isRight || this.#doubtedMs >= doubtOf(aheadMs)) {
      this.#at = now
      this.#doubtedMs = 0
      this.#wasRight = true
    }
    return this.#at
  }
}
