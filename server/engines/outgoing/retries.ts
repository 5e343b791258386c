const minuteMs = 60_000
const hourMs = 60 * minuteMs
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
