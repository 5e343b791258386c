import { hourMs } from '../../shared/durations.ts'
import { personChoices, powerTimes, type PersonChoice, type PowerTime } from '../../shared/dtos/power-order.ts'

const [eveningHour, lastEveningHour, nightHour] = [22, 21, 3]

/** Time of a choice, on the clock of this device. Tonight ends the working day; late in the evening it is in the night. */
export function timeOf(time: PowerTime, now: number): number {
  switch (time) {
    case 'now':
      return now
    case 'hour':
      return now + hourMs
    case 'tonight': {
      const hour = new Date(now).getHours()
      const at = new Date(now)
      if (hour < nightHour || hour >= lastEveningHour) {
        at.setHours(hour < nightHour ? nightHour : 24 + nightHour, 0, 0, 0)
      } else {
        at.setHours(eveningHour, 0, 0, 0)
      }
      return at.getTime()
    }
  }
}

/** Delays that a person may choose. */
export const delaysOf = (person: PersonChoice): PowerTime[] => {
  const freedom = personChoices.indexOf(person)
  return powerTimes.filter((time) => time !== 'now' && personChoices.indexOf(time) <= freedom)
}
