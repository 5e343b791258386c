import { minuteMs } from '../../shared/durations.ts'
import { plural } from '../../shared/plural.ts'
import type { HealthState } from '../../shared/dtos/health-report.ts'
import type { App } from '../call/call.ts'

/** Result of a check: what is, and what to do about it. */
export interface Finding {
  state: HealthState
  summary: string
  /** Null where nothing needs to be done. */
  advice: string | null
  /** Since when it is so, in ms since 1970; undefined if unknown. */
  since?: number | undefined
}

/** A row of the health report. */
export interface HealthCheck {
  /** Stable name, for programs. */
  id: string
  title: string
  run(app: App): Promise<Finding> | Finding
}

export const ok = (summary: string): Finding => ({ state: 'ok', summary, advice: null })
export const warning = (summary: string, advice: string, since?: number): Finding => ({
  state: 'warning',
  summary,
  advice,
  since,
})
export const problem = (summary: string, advice: string, since?: number): Finding => ({
  state: 'problem',
  summary,
  advice,
  since,
})

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

/** Size for people: 12.3 GiB. */
export function size(bytes: number): string {
  const unit = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  return `${Number((bytes / 1024 ** unit).toFixed(unit > 1 ? 1 : 0))} ${units[unit]}`
}

/** Length of time for people: 3 hours. */
export function length(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / minuteMs)
  if (minutes < 120) {
    return plural(minutes, 'minute', 'minutes')
  }
  return minutes < 2 * 24 * 60
    ? plural(Math.round(minutes / 60), 'hour', 'hours')
    : plural(Math.round(minutes / 60 / 24), 'day', 'days')
}

/** Time for people, in UTC because readers of a report may be anywhere. */
export const time = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
