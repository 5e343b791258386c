import { plural } from '../../../shared/plural.ts'
import type { AlertDto, AlertState } from '../../../shared/dtos/alert.ts'

/** Texts of alerts, wherever they are shown. */
export const alerts = {
  title: 'Alerts',
  states: {
    open: 'Open',
    acknowledged: 'Acknowledged',
    snoozed: 'Snoozed',
    closed: 'Closed',
  } satisfies Record<AlertState, string>,
  open: (number: number) => plural(number, 'open alert', 'open alerts'),
  bell: (number: number) => (number === 0 ? 'Alerts: none open' : `Alerts: ${number.toLocaleString()} open`),
  all: 'All alerts',
  none: 'No alerts',
  noneHint: 'Nothing is wrong that a rule looks for.',

  acknowledge: 'Acknowledge',
  acknowledgeOne: (title: string) => `Acknowledge: ${title}`,
  acknowledgeHint: 'Others see that you take care of it, and nobody else is notified.',
  seen: 'Got it',
  seenOne: (title: string) => `Got it: ${title}`,
  snooze: 'Snooze',
  snoozeOne: (title: string) => `Snooze: ${title}`,
  snoozeHint: 'Notify nobody before',
  snoozes: [
    { minutes: 60, label: 'in 1 hour' },
    { minutes: 4 * 60, label: 'in 4 hours' },
    { minutes: 24 * 60, label: 'in 1 day' },
    { minutes: 7 * 24 * 60, label: 'in 7 days' },
  ],
  endSnooze: 'End the snooze',
  show: 'Show',
  failed: 'The alert was not changed',

  by: ({ state, acknowledgedBy, snoozedBy, snoozedUntil }: AlertDto, moment: (at: string) => string) => {
    if (state === 'snoozed' && snoozedUntil !== null) {
      return `Snoozed${snoozedBy === null ? '' : ` by ${snoozedBy}`} until ${moment(snoozedUntil)}`
    }
    return acknowledgedBy === null ? '' : `Acknowledged by ${acknowledgedBy}`
  },
  several: (number: number) => `${number.toLocaleString()} new alerts`,
  ofDevice: 'Alerts about this device',

  watch: 'Tell me when it is back',
  watchOne: (name: string) => `Tell me when ${name} is back`,
  watching: 'You will be told once when it is back.',
  watchSet: (name: string) => `You will be told when ${name} is back.`,
  unwatch: 'Do not tell me',
  watchFailed: 'This was not changed',
}
