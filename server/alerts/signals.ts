import { hourMs, minuteMs } from '../../shared/durations.ts'

/** A device that recovers again and again is looked at for longer each time. */
const longestHoldMs = 30 * minuteMs
const flappingMs = hourMs

/** A condition that holds, and is not told yet. */
export interface Pending {
  /** Since when, ms since 1970. */
  since: number
  /** When it is told, by the monotonic clock: a jump of the wall clock tells nothing. */
  dueAt: number
  /** Set once it waits longer, because its device may come back by itself. */
  isExtended?: boolean
}

interface Recoveries {
  count: number
  /** Monotonic time of the last. */
  at: number
}

/** Conditions that reports have begun or ended, until the loop of `start-alerts.ts` stores them. Empty after a start. */
export class AlertSignals {
  /** By rule and device. */
  readonly pending = new Map<string, Map<string, Pending>>()
  /** Time, by the monotonic clock, from which an open subject counts as recovered; by rule and subject. */
  readonly gone = new Map<string, Map<string, number>>()
  readonly #recoveries = new Map<string, Recoveries>()

  begin(ruleId: string, subject: string, pending: Pending): void {
    const ofRule = this.pending.get(ruleId) ?? new Map<string, Pending>()
    this.pending.set(ruleId, ofRule)
    if (!ofRule.has(subject)) {
      ofRule.set(subject, pending)
    }
  }

  /** Notes that the cause of an open subject is gone. */
  end(ruleId: string, subject: string, now: number, holdMs: number): void {
    const ofRule = this.gone.get(ruleId) ?? new Map<string, number>()
    this.gone.set(ruleId, ofRule)
    if (!ofRule.has(subject)) {
      const { count, at } = this.#recoveries.get(`${ruleId} ${subject}`) ?? { count: 0, at: -Infinity }
      const times = now - at < flappingMs ? 2 ** count : 1
      ofRule.set(subject, now + Math.min(holdMs * times, Math.max(holdMs, longestHoldMs)))
    }
  }

  /** Counts a recovery that was told. */
  recovered(ruleId: string, subject: string, now: number): void {
    const key = `${ruleId} ${subject}`
    const known = this.#recoveries.get(key)
    this.#recoveries.set(key, { count: known && now - known.at < flappingMs ? known.count + 1 : 1, at: now })
  }

  forgetRecoveries(now: number): void {
    this.#recoveries.forEach(({ at }, key) => now - at >= flappingMs && this.#recoveries.delete(key))
  }

  forgetRule(ruleId: string): void {
    this.pending.delete(ruleId)
    this.gone.delete(ruleId)
  }

  forgetDevice(deviceId: string): void {
    this.pending.forEach((ofRule) => ofRule.delete(deviceId))
    this.gone.forEach((ofRule) => ofRule.delete(deviceId))
  }
}
