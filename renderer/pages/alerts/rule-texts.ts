import { plural } from '../../../shared/plural.ts'
import type { AlertCondition } from '../../../shared/dtos/alert-rule.ts'

const names: Readonly<Record<string, string>> = {
  'device-offline': 'A device is offline',
  'device-back': 'A device is back',
  'device-disk': 'Storage is almost full',
  'device-disk-forecast': 'A disk will be full soon',
  'device-memory': 'Memory is almost full',
  'device-load': 'Processors are busy',
  'device-agent-behind': 'An agent is not up to date',
  'device-new': 'A new device',
  'device-two-machines': 'Two machines with one identity',
  'device-changed-hands': 'A known device registered anew',
  'device-session': 'A session outside of hours',
  'sign-ins-failed': 'Failed sign-ins',
  'right-given': 'A right was given',
  'maker-gone': 'A rule or webhook has stopped',
  'server-certificate': 'Certificate of the server',
  'server-backup': 'Backup of the server',
  'server-update': 'Update of the server',
  'server-problem': 'Another problem of the server',
}
const nameOf = (kind: string) => names[kind] ?? kind

const timeOf = (minutes: number) =>
  minutes % (24 * 60) === 0
    ? plural(minutes / (24 * 60), 'day', 'days')
    : minutes % 60 === 0
      ? plural(minutes / 60, 'hour', 'hours')
      : plural(minutes, 'minute', 'minutes')

/** Settings of a condition, such as "above 90%, for 10 minutes". */
function settingsOf(condition: AlertCondition): string {
  const parts = [
    'percent' in condition && `above ${condition.percent}%`,
    'days' in condition && `within ${plural(condition.days, 'day', 'days')}`,
    'count' in condition && `${condition.count} or more`,
    'minutes' in condition && `${'count' in condition ? 'within' : 'for'} ${timeOf(condition.minutes)}`,
    'hours' in condition && `${condition.hours.from} to ${condition.hours.to}`,
  ]
  return parts.filter((part) => part !== false).join(', ')
}

/** Name and settings of a condition, such as "A device is offline, for 5 minutes". */
const conditionOf = (condition: AlertCondition) =>
  [nameOf(condition.kind), settingsOf(condition)].filter((part) => part !== '').join(', ')

/** Texts of the rules that open alerts. */
export const alertRules = {
  intro: 'What opens an alert, and who is notified. A change counts from now on.',
  needs: (right: string) => `You can look, but not change anything: ask an administrator for “${right}”.`,
  list: 'Rules',
  shown: (number: number) => plural(number, 'rule', 'rules'),
  emptyTitle: 'No rules',
  emptyHint: 'A rule looks for something, such as a device that is offline, and notifies people.',
  create: 'New rule',
  createSubmit: 'Create rule',
  looksFor: 'Looks for',
  name: nameOf,
  condition: conditionOf,
  time: timeOf,
  where: 'Where',
  tells: 'Notifies',
  on: 'On',
  off: 'Off',
  stopped: 'Stopped',
  openAlerts: (number: number) => plural(number, 'open alert', 'open alerts'),

  isEnabled: 'This rule is on',
  isEnabledHint: 'Turning it off closes its alerts.',
  stoppedHint: (name: string | null) =>
    `It looks for nothing: ${name === null ? 'the account that changed it last is gone' : `${name} is disabled, or may not make rules`}. Save it to take it over.`,
  isDefault: 'Made by the server. Change it as you like.',
  madeBy: (name: string) => `Last changed by ${name}.`,
  change: 'Change',
  changed: (name: string) => `“${name}” is changed.`,
  percent: 'Above, in per cent',
  minutes: 'For at least',
  within: 'Within',
  count: 'At least so many',
  days: 'Within days',
  includesPlanned: 'Also when it was shut down, or the agent was uninstalled',
  scopes: {
    everything: 'Everything',
    customer: 'A customer',
    tag: 'A tag',
    group: 'A device group',
    view: 'A saved view',
    device: 'A device',
  },
  gone: 'Gone',
  receivers: {
    'on-call': 'Who is on call',
    administrators: 'Administrators',
    people: 'Certain people',
  },
  receiversHint: 'Each is told only what that person may see. If nobody may see any of it, administrators are told.',
  people: 'People',

  preview: 'In the last 7 days',
  previewed: (number: number, isComplete: boolean) =>
    number === 0
      ? `This rule would have opened no alert${isComplete ? '' : ' in the part that was searched'}.`
      : `This rule would have opened ${plural(number, 'alert', 'alerts')}${isComplete ? '' : ' or more'}.`,
  previewCut: 'There is too much history to search all of it. Choose fewer devices to see more.',
  previewFrom: (time: string) => `There is history since ${time}.`,
  remove: 'Delete rule',
  removeTitle: (name: string) => `Delete “${name}”?`,
  removeHint: 'Its alerts are closed, and nobody is notified of it any more.',
}

/** Texts of who is on call. */
export const alertOnCall = {
  intro: 'Rules notify who is on call, and somebody else if nobody takes care of it.',
  first: 'On call',
  firstHint: 'Administrators are notified while nobody is on call, and of what this person may not see.',
  second: 'Then',
  secondHint: 'Notified too while nobody has acknowledged the alert.',
  after: 'After',
  saved: 'Who is on call is changed.',
  nobody: 'Nobody',
  none: 'Nobody. Search by name',
}
