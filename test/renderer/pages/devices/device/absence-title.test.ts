import { expect, test } from 'vitest'
import { titleOf } from '../../../../../renderer/pages/devices/device/absence-title.ts'

const wentAt = Date.parse('2026-03-01T10:00:00Z')
const absence = {
  cause: 'restart',
  since: '2026-03-01T10:00:00Z',
  onlineSince: null,
  evidence: [{ kind: 'asked-restart', at: '2026-03-01T09:59:58Z', detail: '' }],
  neighbours: [],
  otherNeighbours: 0,
  wake: null,
} as const

test('a device that restarts is called late five minutes after it went, not before', () => {
  const titleAfter = (ms: number) =>
    titleOf({ ...absence, evidence: [...absence.evidence], machines: [], neighbours: [] }, wentAt + ms)
  expect(titleAfter(1_000)).toBe('The device is restarting')
  expect(titleAfter(299_000)).toBe('The device is restarting')
  expect(titleAfter(300_000)).toBe('The device has not come back from a restart')
})

test('after a pause of the server, the time counts from its return', () => {
  const evidence = [{ kind: 'server-up' as const, at: '2026-03-01T12:00:00Z', detail: '' }]
  const titleAfter = (ms: number) =>
    titleOf(
      { ...absence, cause: 'server-down', evidence, machines: [], neighbours: [] },
      Date.parse('2026-03-01T12:00:00Z') + ms,
    )
  expect(titleAfter(30_000)).toBe('The device has not reconnected yet: this server was down')
  expect(titleAfter(120_000)).toBe('The device has not come back since this server was down')
})
