import { z } from 'zod'
import { dateTime, dto, id, ownId, textOrNull } from '../contract/fields.ts'
import { alertKindNames } from './alert-rule.ts'
import { deviceId } from './references.ts'

export const alertStates = ['open', 'acknowledged', 'snoozed', 'closed'] as const
export const AlertState = z.enum(alertStates)
export type AlertState = z.output<typeof AlertState>

/** Devices of an alert in a list, and in the alert itself. */
export const shownDevices = { inList: 5, inAll: 500 }

const AlertDeviceDto = dto('AlertDeviceDto', {
  id: deviceId,
  name: z.string().describe('Its alias, else its name.'),
  customerName: textOrNull.describe('Name of its customer; null without one.'),
  since: dateTime.describe('Since when it is so.'),
  goneAt: dateTime.nullable().describe('When the cause was gone; null while it is there.'),
  detail: textOrNull.describe('More about this device, such as the value; null for nothing.'),
})

export const AlertDto = dto('AlertDto', {
  id: ownId,
  ruleId: id.nullable().describe('The rule; null for a rule that was deleted, and for a device that was watched.'),
  ruleName: textOrNull.describe('Name of the rule at that moment; null for a device that was watched.'),
  kind: z
    .enum([...alertKindNames, 'watched'])
    .describe('Condition of the rule; `watched`: the caller asked to be told when this device is back.'),
  title: z.string().describe('What happened, in a sentence, as far as the caller may see it.'),
  lines: z.array(z.string()).describe('What else is known: a probable cause, since when, the value.'),
  state: AlertState.describe(
    '`open`: nobody has taken it up; `acknowledged`: somebody has; `snoozed`: not before a time; `closed`: its cause is gone, or it was acknowledged and told of a moment.',
  ),
  openedAt: dateTime.describe('When it was opened.'),
  changedAt: dateTime.describe('When it was opened, grew, was acknowledged, snoozed or closed last.'),
  acknowledgedAt: dateTime.nullable().describe('When it was acknowledged; null if it was not.'),
  acknowledgedBy: textOrNull.describe('Who acknowledged it, by the name of that moment.'),
  snoozedUntil: dateTime.nullable().describe('Until when nobody is notified; null if it is not snoozed.'),
  snoozedBy: textOrNull.describe('Who snoozed it, by the name of that moment.'),
  closedAt: dateTime.nullable().describe('When it was closed; null while it is not.'),
  closedBecause: z
    .enum(['gone', 'seen', 'expired', 'rule'])
    .nullable()
    .describe(
      '`gone`: its cause is gone; `seen`: it told of a moment, and was acknowledged; `expired`: seven days have passed; `rule`: its rule was changed, stopped or deleted.',
    ),
  deviceCount: z.number().int().describe('Devices of it that the caller may see; 0 if it is not about devices.'),
  goneCount: z.number().int().describe('Those of them whose cause is gone.'),
  devices: z.array(AlertDeviceDto).describe('In a list the first five, in the alert itself the first 500.'),
  told: z.array(z.string()).describe('Names of the people who were notified.'),
  isTold: z.boolean().describe('Whether the caller is among them.'),
  path: z.string().describe('Page of what it is about, as a path of this server.'),
  mayAct: z.boolean().describe('Whether the caller may acknowledge and snooze it.'),
})
export type AlertDto = z.output<typeof AlertDto>

export const AlertWatchDto = dto('AlertWatchDto', {
  deviceId,
  name: z.string().describe('Its alias, else its name.'),
  createdAt: dateTime.describe('When the caller asked for it.'),
})
export type AlertWatchDto = z.output<typeof AlertWatchDto>

/** Longest snooze. */
export const maxSnoozeMinutes = 7 * 24 * 60

/** Minutes until the second person on call is notified, unless somebody chose others. */
export const usualAfterMinutes = 15

export const AlertOnCallRequestDto = dto('AlertOnCallRequestDto', {
  firstUserId: id.nullable().describe('Who is notified first; null: nobody is on call.'),
  secondUserId: id.nullable().describe('Who is notified while nobody has acknowledged; null for nobody.'),
  afterMinutes: z.number().int().min(1).max(1440).describe('Minutes after which the second is notified, 1 to 1,440.'),
})
export type AlertOnCallRequestDto = z.output<typeof AlertOnCallRequestDto>

export const AlertOnCallDto = dto('AlertOnCallDto', {
  ...AlertOnCallRequestDto.shape,
  firstName: textOrNull.describe('Name of the first; null without one.'),
  secondName: textOrNull.describe('Name of the second; null without one.'),
})
export type AlertOnCallDto = z.output<typeof AlertOnCallDto>
