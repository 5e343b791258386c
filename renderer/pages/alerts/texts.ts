import { plural } from '../../../shared/plural.ts'
import type { AlertDto } from '../../../shared/dtos/alert.ts'
import { deviceCount } from '../../text/format.ts'

/** Texts of the page of alerts. */
export const alertPages = {
  intro: 'What needs somebody, who takes care of it, and what has happened since.',
  tabs: 'Parts of the alerts',
  tab: { list: 'Alerts', rules: 'Rules', 'on-call': 'On call' },
  list: 'Alerts',
  shown: (number: number, hasMore: boolean) => `${plural(number, 'alert', 'alerts')}${hasMore ? ' or more' : ''}`,
  active: 'Not closed',
  emptyTitle: 'No alerts',
  emptyHint: 'Nothing is wrong that a rule looks for. Closed alerts are kept for 90 days.',
  noMatch: 'No such alerts',
  noMatchHint: 'No alert fits these filters.',
  ofRule: 'Rule',
  allRules: 'All rules',
  ofCustomer: 'Customer',
  allCustomers: 'All customers',
  onlyDevice: (name: string) => `Only: ${name}`,
  alert: 'Alert',
  devices: 'Devices',
  takenBy: 'Taken by',
  opened: 'Opened',

  notFound: 'This alert is not there any more, or you may not see it.',
  rule: (name: string) => `By the rule “${name}”`,
  watched: 'You asked to be told when this device is back.',
  openPage: 'Open the page about it',
  openDevice: 'Open the device',
  since: 'What has happened since',
  wasOpened: 'Opened',
  told: (names: readonly string[]) => (names.length === 0 ? 'Nobody was notified.' : `Notified: ${names.join(', ')}`),
  wasAcknowledged: (name: string | null) => `Acknowledged${name === null ? '' : ` by ${name}`}`,
  wasSnoozed: (name: string | null, until: string) => `Snoozed${name === null ? '' : ` by ${name}`} until ${until}`,
  gone: ({ goneCount, deviceCount: all }: AlertDto) => `The cause is gone for ${goneCount} of ${deviceCount(all)}.`,
  closed: {
    gone: 'Closed by itself: the cause is gone.',
    seen: 'Closed: somebody has seen it.',
    expired: 'Closed after seven days.',
    rule: 'Closed: its rule was changed, stopped or deleted.',
  } satisfies Record<NonNullable<AlertDto['closedBecause']>, string>,
  moreDevices: (number: number) => `and ${number.toLocaleString()} more`,
  sinceTime: (time: string) => `since ${time}`,
  goneAt: (time: string) => `gone ${time}`,
}
