import { plural } from '../../../shared/plural.ts'
import type { HistoryRange } from '../../../shared/dtos/history.ts'

const lasting = { day: 'the last 24 hours', week: 'the last 7 days', quarter: 'the last 90 days' } as const

export const history = {
  title: 'History',
  range: 'Time shown',
  ranges: { day: '24 hours', week: '7 days', quarter: '90 days' } satisfies Record<HistoryRange, string>,
  table: 'Table',
  tableHint: 'Show the values as a table',
  tableOf: (range: HistoryRange) => `Values of ${lasting[range]}`,
  time: 'Time',
  cpu: 'CPU',
  memory: 'Memory',
  disks: 'Disks',
  systemDrive: 'System drive',
  fullestDisk: 'Fullest disk',
  online: 'Online',
  latest: (value: string, age: string) => `${value}, ${age}`,
  last: (value: string) => `${value} before it went offline`,
  ofKnown: (value: string) => `${value} of the known time`,
  mean: (value: string) => `${value} on average`,
  devicesOnline: (online: number, known: number) =>
    `${online.toLocaleString(undefined, { maximumFractionDigits: 0 })} of ${plural(known, 'device', 'devices')}`,
  describe: (label: string, range: HistoryRange, latest: string, highest: string) =>
    `${label} over ${lasting[range]}: ${latest}, highest ${highest}`,
  describeOnline: (value: string, range: HistoryRange) => `Online for ${value} of the known time of ${lasting[range]}`,
  describeDevices: (range: HistoryRange, latest: string, least: string, highest: string) =>
    `Devices online over ${lasting[range]}: ${latest} now, from ${least} to ${highest}`,
  describeDisks: (range: HistoryRange, disks: string) => `Disks over ${lasting[range]}: ${disks}`,
  at: (when: string, value: string) => `${when}: ${value}`,
  unknown: 'unknown',
  full: (day: string) => `full about ${day}`,
  fullHint: 'If it goes on like in the last four weeks.',
  empty: 'No data yet. Load, disks and online time are recorded from now on; agents report every five minutes.',
  onlineWeek: 'Online over the last 7 days',
}
