import { hourMs, minuteMs } from '../../../shared/durations.ts'
/** Pauses after each failed attempt: about a day in all. */
const pausesMs = [
  5_000,
  30_000,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  hourMs,
  2 * hourMs,
  4 * hourMs,
  6 * hourMs,
  10 * hourMs,
]

/** Longest time until the next attempt. An attempt that is later was planned before the clock was set back. */
export const longestPauseMs = Math.max(...pausesMs)

/** Pause after so many failed attempts; undefined when it is time to give up. */
export const pauseAfter = (attempts: number): number | undefined => pausesMs[attempts - 1]

/** State of a delivery after one more attempt, with the time of the next one. */
export function nextOf(
  attemptsBefore: number,
  { isDelivered, isFinal = false }: { isDelivered: boolean; isFinal?: boolean | undefined },
  now: number,
) {
  const attempts = attemptsBefore + 1
  const pauseMs = isDelivered || isFinal ? undefined : pauseAfter(attempts)
  const state = isDelivered ? 'delivered' : pauseMs === undefined ? 'failed' : 'waiting'
  return { state, attempts, nextAt: pauseMs === undefined ? null : now + pauseMs } as const
}
