const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'narrow' })
const timeOfDay = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' })
const timeOfSecond = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
})
const date = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })

/** How long ago, in the largest unit that is not zero: "now", "5m ago", "3d ago". */
export function relativeTime(then: number, now: number) {
  // A time in the future comes from a clock that runs ahead: it counts as now.
  const age = Math.max(0, now - then)
  if (age < minute) {
    return age < 10_000 ? relative.format(0, 'second') : relative.format(-Math.floor(age / 1_000), 'second')
  }
  if (age < hour) {
    return relative.format(-Math.floor(age / minute), 'minute')
  }
  if (age < day) {
    return relative.format(-Math.floor(age / hour), 'hour')
  }
  return age < 30 * day ? relative.format(-Math.floor(age / day), 'day') : date.format(then)
}

/** A moment as short as it can be said today: the time, or the day with it. */
export const moment = (then: number, now = Date.now()) =>
  new Date(then).toDateString() === new Date(now).toDateString()
    ? timeOfDay.format(then)
    : now - then < 300 * day
      ? dayAndTime.format(then)
      : date.format(then)

/** The time of day to the second, for comparing clocks. */
export const timeWithSeconds = (at: number) => timeOfSecond.format(at)

/** A day of any year. */
export const calendarDay = (at: number) => date.format(at)

/** The moment in full, with its zone: what a pointer over a short time shows. */
export const exactTime = (then: number) => exact.format(then)

// `toLocaleString` with options makes a formatter for each call, which is slow in a list of meters.
const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })
const oneDigit = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })

/** A size that agents report in GiB. */
export function gibibytes(size: number) {
  if (size >= 1024) {
    return `${oneDigit.format(size / 1024)} TiB`
  }
  if (size >= 1 || size === 0) {
    return `${(size < 10 ? oneDigit : whole).format(size)} GiB`
  }
  return `${whole.format(size * 1024)} MiB`
}

const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/** A number of bytes: "0 B", "1.5 KiB", "12 MiB". */
export function byteSize(bytes: number) {
  const unit = bytes < 1 ? 0 : Math.min(byteUnits.length - 1, Math.floor(Math.log2(bytes) / 10))
  const size = bytes / 1024 ** unit
  return `${(unit > 0 && size < 10 ? oneDigit : whole).format(size)} ${byteUnits[unit]}`
}

/** A stretch of time, in at most two units: "8 s", "3 min", "2 h 5 min". */
export function duration(seconds: number) {
  const minutes = Math.round(seconds / 60)
  if (seconds < 60) {
    return `${Math.max(1, Math.ceil(seconds))} s`
  }
  return minutes < 60 ? `${minutes} min` : `${whole.format(Math.floor(minutes / 60))} h ${minutes % 60} min`
}

/** Part of a whole, 0 to 1; 0 when the whole is unknown. */
export const fraction = (used: number, total: number) => (total > 0 ? Math.min(1, Math.max(0, used / total)) : 0)

export const percent = (part: number) => `${Math.round(Math.min(1, Math.max(0, part)) * 100)}%`

/** A MAC address in pairs; what is none stays as it is. */
export const macText = (address: string) =>
  /^[\da-f]{12}$/i.test(address) ? address.toUpperCase().replace(/..(?=.)/g, '$&:') : address

const twoDigits = (value: number) => String(value).padStart(2, '0')

/** How long something takes, as a clock: "0:07", "12:04", "3:00:09". */
export function clockTime(ms: number) {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  const head = hours > 0 ? `${hours}:${twoDigits(minutes % 60)}` : String(minutes)
  return `${head}:${twoDigits(seconds % 60)}`
}
