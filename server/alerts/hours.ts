import type { WorkingHours } from '../../shared/dtos/alert-rule.ts'

const dayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const dayMinutes = 24 * 60

const minutesOf = (text: string) => {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  return hours * 60 + minutes
}

/** Day of the week, 1 is Monday, and minute of the day at a place. */
function localTime(timeZone: string, at: number) {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at)
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  return { day: dayNames.indexOf(of('weekday')) + 1, minute: Number(of('hour')) * 60 + Number(of('minute')) }
}

/** Whether a time lies within hours, which may end on the next day. */
export function isWithinHours({ from, to, days, timeZone }: WorkingHours, at: number): boolean {
  const { day, minute } = localTime(timeZone, at)
  const [start, end] = [minutesOf(from), minutesOf(to)]
  const isIn = (dayOfStart: number, time: number) =>
    days.includes(dayOfStart) && time >= start && time < (end > start ? end : end + dayMinutes)
  return isIn(day, minute) || isIn(day === 1 ? 7 : day - 1, minute + dayMinutes)
}
