import { z } from 'zod'

const isTimeZone = (timeZone: string) => {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone }))
  } catch {
    return false
  }
}

const timeOfDay = (example: string) =>
  z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, such as 08:30')
    .meta({ examples: [example] })

/** Members of hours that recur each week. */
export const weeklyHours = {
  timeZone: z
    .string()
    .max(100, { abort: true })
    .refine(isTimeZone, 'must be the name of a time zone, such as Europe/Berlin')
    .meta({ examples: ['Europe/Berlin'] })
    .describe('Time zone of the times.'),
  days: z
    .array(z.int().min(1).max(7))
    .min(1)
    .max(7)
    .describe('Days of the week on which the hours begin, 1 is Monday.'),
  from: timeOfDay('08:00').describe('When they begin.'),
  to: timeOfDay('18:00').describe('When they end; on the next day unless it is later than the beginning.'),
}
export type WeeklyHours = z.output<z.ZodObject<typeof weeklyHours>>
