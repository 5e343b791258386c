import { dayMs, minuteMs } from '../../shared/durations.ts'
import type { WeeklyHours } from '../../shared/dtos/weekly-hours.ts'

/** Formatters by time zone: making one takes as long as using it a hundred times. */
const formats = new Map<string, Intl.DateTimeFormat>()
/** There are about 600 time zones; people may write each in upper and lower case (T20). */
const maxFormats = 1_000

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) {
    return known
  }
  const parts = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const
  const format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...parts, second: 'numeric' })
  if (formats.size >= maxFormats) {
    formats.clear()
  }
  formats.set(timeZone, format)
  return format
}

/** Reading of a clock in a time zone, as the instant at which a clock in UTC shows the same. */
function localTime(at: number, timeZone: string): number {
  const parts = formatOf(timeZone).formatToParts(at)
  const valueOf = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value)
  return Date.UTC(
    valueOf('year'),
    valueOf('month') - 1,
    valueOf('day'),
    valueOf('hour'),
    valueOf('minute'),
    valueOf('second'),
  )
}

/** Instant at which a clock in the time zone shows a local time; a time that a change of the clock skips is an hour off. */
function instantOf(local: number, timeZone: string): number {
  const guess = local - (localTime(local, timeZone) - local)
  return guess - (localTime(guess, timeZone) - local)
}

const minutesOf = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))

/** Local end of the hours that contain a local time; undefined outside of them. */
function localEnd({ days, from, to }: WeeklyHours, local: number): number | undefined {
  const length = ((minutesOf(to) - minutesOf(from) + 24 * 60) % (24 * 60) || 24 * 60) * minuteMs
  const midnight = Math.floor(local / dayMs) * dayMs
  const starts = [midnight - dayMs, midnight].filter((day) => days.includes(new Date(day).getUTCDay() || 7))
  const ends = starts
    .map((day) => day + minutesOf(from) * minuteMs)
    .filter((start) => start <= local && local < start + length)
    .map((start) => start + length)
  return ends.length === 0 ? undefined : Math.max(...ends)
}

/** Instant at which the hours end that contain an instant, adjacent ones included; undefined outside of them. */
export function endOfHours(hours: WeeklyHours, at: number): number | undefined {
  let end: number | undefined
  let local = localTime(at, hours.timeZone)
  for (let next = localEnd(hours, local); next !== undefined; next = localEnd(hours, local)) {
    end = next
    local = next
  }
  // An end that a change of the clock moved before now would be looked at again and again.
  return end === undefined ? undefined : Math.max(instantOf(end, hours.timeZone), at + 1_000)
}
