import { dayMs } from '../../shared/durations.ts'
/** Number of copies kept of each kind: the newest of a day, of a week, and of a month. */
export interface Kept {
  daily: number
  weekly: number
  monthly: number
}

const local = (at: number) => {
  const date = new Date(at)
  return { year: date.getFullYear(), month: date.getMonth(), day: date.getDate(), weekday: (date.getDay() + 6) % 7 }
}

/** Day, week (from Monday) and month of a time, in the zone of this computer. */
const dayOf = (at: number) => {
  const { year, month, day } = local(at)
  return `${year}-${month}-${day}`
}
const weekOf = (at: number) => {
  const { year, month, day, weekday } = local(at)
  return Math.round(Date.UTC(year, month, day - weekday) / dayMs)
}
const monthOf = (at: number) => {
  const { year, month } = local(at)
  return `${year}-${month}`
}

/** The copies to remove, of those of one server. The newest is always kept. */
export function outdated<Copy extends { at: number }>(copies: readonly Copy[], kept: Kept): Copy[] {
  const newestFirst = copies.toSorted((a, b) => b.at - a.at)
  const keep = new Set(newestFirst.slice(0, 1))
  const periods = [
    [kept.daily, dayOf],
    [kept.weekly, weekOf],
    [kept.monthly, monthOf],
  ] as const
  for (const [most, periodOf] of periods) {
    const seen = new Set<string | number>()
    for (const copy of newestFirst) {
      const period = periodOf(copy.at)
      if (!seen.has(period) && seen.size < most) {
        seen.add(period)
        keep.add(copy)
      }
    }
  }
  return newestFirst.filter((copy) => !keep.has(copy))
}
