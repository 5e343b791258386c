import { dayMs, hourMs, minuteMs } from '../../shared/durations.ts'
import { plural } from '../../shared/plural.ts'

/** Preference of the server that holds the language of dates. */
export const dateLanguagePreference = 'date-language'

/** Languages that dates can be written in. */
export const dateLanguages: readonly string[] = [
  'en-US',
  'en-GB',
  'de-DE',
  'es-ES',
  'fr-FR',
  'it-IT',
  'nl-NL',
  'pl-PL',
  'pt-BR',
  'sv-SE',
  'ja-JP',
  'zh-CN',
]

/** Language that a stored text names; undefined follows the browser. */
export const dateLanguageOf = (stored: string | null | undefined): string | undefined =>
  dateLanguages.find((language) => language === stored)

const formatsIn = (language: string | undefined) => ({
  relative: new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'narrow' }),
  timeOfDay: new Intl.DateTimeFormat(language, { hour: 'numeric', minute: '2-digit' }),
  timeOfSecond: new Intl.DateTimeFormat(language, { timeStyle: 'medium' }),
  dayAndTime: new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' }),
  date: new Intl.DateTimeFormat(language, { year: 'numeric', month: 'short', day: 'numeric' }),
  weekday: new Intl.DateTimeFormat(language, { weekday: 'short' }),
  shortDay: new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric' }),
  exact: new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'long' }),
})

let formats = formatsIn(undefined)

/** Language of every date from now on; undefined follows the browser. */
export function setDateLanguage(language: string | undefined) {
  formats = formatsIn(language)
}

/** Age in the largest non-zero unit: "now", "5m ago", "3d ago". */
export function relativeTime(then: number, now: number) {
  // A future time comes from a clock that runs ahead and counts as now.
  const age = Math.max(0, now - then)
  if (age < minuteMs) {
    return age < 10_000
      ? formats.relative.format(0, 'second')
      : formats.relative.format(-Math.floor(age / 1_000), 'second')
  }
  if (age < hourMs) {
    return formats.relative.format(-Math.floor(age / minuteMs), 'minute')
  }
  if (age < dayMs) {
    return formats.relative.format(-Math.floor(age / hourMs), 'hour')
  }
  return age < 30 * dayMs ? formats.relative.format(-Math.floor(age / dayMs), 'day') : formats.date.format(then)
}

/** Short form of a time: the time of day, with the date unless it is today; the date alone for a distant time. */
export const moment = (then: number, now = Date.now()) =>
  new Date(then).toDateString() === new Date(now).toDateString()
    ? formats.timeOfDay.format(then)
    : Math.abs(now - then) < 300 * dayMs
      ? formats.dayAndTime.format(then)
      : formats.date.format(then)

export const timeOfDay = (at: number) => formats.timeOfDay.format(at)

/** Day of the week, for the axis of a week. */
export const weekday = (at: number) => formats.weekday.format(at)

/** Day and month, for the axis of months. */
export const shortDay = (at: number) => formats.shortDay.format(at)

/** Time of day with seconds, to compare clocks. */
export const timeWithSeconds = (at: number) => formats.timeOfSecond.format(at)

/** Date with year. */
export const calendarDay = (at: number) => formats.date.format(at)

/** Short name of a day of the week; 1 is Monday. */
export const weekdayName = (dayOfWeek: number) => weekday(new Date(2023, 0, 1 + dayOfWeek).getTime())

/** Time in the zone of this browser, as ISO 8601 without a zone: "2026-11-29T12:30:05". */
export const localIsoTime = (at: number) =>
  new Date(at - new Date(at).getTimezoneOffset() * minuteMs).toISOString().slice(0, 19)

/** Time as a `datetime-local` field takes it. */
export const fieldTime = (at: number) => localIsoTime(at).slice(0, 16)

/** Full date and time with zone, for tooltips. */
export const exactTime = (then: number) => formats.exact.format(then)

// `toLocaleString` with options creates a formatter per call, which is slow in a list of meters.
const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })
const oneDigit = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })

/** Formats a size that agents report in GiB. */
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

/** Formats a number of bytes: "0 B", "1.5 KiB", "12 MiB". */
export function byteSize(bytes: number) {
  const unit = bytes < 1 ? 0 : Math.min(byteUnits.length - 1, Math.floor(Math.log2(bytes) / 10))
  const size = bytes / 1024 ** unit
  return `${(unit > 0 && size < 10 ? oneDigit : whole).format(size)} ${byteUnits[unit]}`
}

/** Formats a duration with at most two units: "8 s", "3 min", "2 h 5 min". */
export function duration(seconds: number) {
  const minutes = Math.round(seconds / 60)
  if (seconds < 60) {
    return `${Math.max(1, Math.ceil(seconds))} s`
  }
  return minutes < 60 ? `${minutes} min` : `${whole.format(Math.floor(minutes / 60))} h ${minutes % 60} min`
}

/** Share of a total, 0 to 1; 0 if the total is unknown. */
export const fraction = (used: number, total: number) => (total > 0 ? Math.min(1, Math.max(0, used / total)) : 0)

export const percent = (part: number) => `${Math.round(Math.min(1, Math.max(0, part)) * 100)}%`

/** Formats a MAC address in pairs; other text is returned unchanged. */
export const macText = (address: string) =>
  /^[\da-f]{12}$/i.test(address) ? address.toUpperCase().replace(/..(?=.)/g, '$&:') : address

const twoDigits = (value: number) => String(value).padStart(2, '0')

/** Formats the time that finished work took: "< 1 s", else a clock. */
export const workTime = (ms: number) => (ms < 1_000 ? '< 1 s' : clockTime(ms))

/** Formats a duration as a clock: "0:07", "12:04", "3:00:09". */
export function clockTime(ms: number) {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  const head = hours > 0 ? `${hours}:${twoDigits(minutes % 60)}` : String(minutes)
  return `${head}:${twoDigits(seconds % 60)}`
}

export const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** A part of a sentence, as validators write it, as a sentence. */
export const asSentence = (text: string) => `${capitalized(text)}${/[.!?]$/.test(text) ? '' : '.'}`

export const deviceCount = (count: number) => plural(count, 'device', 'devices')
