import type { AlertCondition } from '../../../shared/dtos/alert-rule.ts'
import { fullDiskPercent } from '../../../shared/dtos/device.ts'

const days = [1, 2, 3, 4, 5]

/** Conditions of new rules, with the settings that a rule begins with. */
export const newConditions: readonly AlertCondition[] = [
  { kind: 'device-offline', minutes: 5, includesPlanned: false },
  { kind: 'device-back', minutes: 60 },
  { kind: 'device-disk', percent: fullDiskPercent, minutes: 10 },
  { kind: 'device-disk-forecast', days: 14 },
  { kind: 'device-memory', percent: 95, minutes: 30 },
  { kind: 'device-load', percent: 95, minutes: 30 },
  { kind: 'device-agent-behind', minutes: 24 * 60 },
  { kind: 'device-new' },
  { kind: 'device-two-machines' },
  { kind: 'device-changed-hands' },
  {
    kind: 'device-session',
    hours: { from: '08:00', to: '18:00', days, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone },
  },
  { kind: 'sign-ins-failed', count: 10, minutes: 15 },
  { kind: 'right-given' },
  { kind: 'maker-gone' },
  { kind: 'server-certificate' },
  { kind: 'server-backup' },
  { kind: 'server-update' },
  { kind: 'server-problem' },
]

/** Minutes to choose from, with those that a rule has already. */
export const minuteChoices = (own: number) =>
  [...new Set([1, 5, 10, 15, 30, 60, 4 * 60, 24 * 60, 7 * 24 * 60, own])].toSorted((a, b) => a - b)
