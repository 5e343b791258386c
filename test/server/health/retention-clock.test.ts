import { expect, test } from 'vitest'
import { RetentionClock } from '../../../server/health/retention-clock.ts'
import { manualClock } from '../../support/clock.ts'

const dayMs = 24 * 60 * 60_000

/** Time of the retention in days since the start, of a server whose clock was right. */
function openRetention() {
  const passing = manualClock(0)
  let aheadMs = 0
  const clock = { ...passing, now: () => passing.now() + aheadMs }
  const retention = new RetentionClock(clock)
  retention.open({ retentionAt: 0, doubtedMs: 0 })
  retention.now()
  return {
    retention,
    now: () => retention.now() / dayMs,
    set: (days: number) => void (aheadMs = days * dayMs),
    pass: (days: number) => passing.advance(days * dayMs),
  }
}

test('a clock that jumps ahead by days while the server runs is followed after as many days, at most seven', () => {
  for (const [jump, days] of [
    [2, 2],
    [20, 7],
  ] as const) {
    const { retention, now, set, pass } = openRetention()
    set(jump)
    expect(now()).toBe(0)
    expect(retention.doubt).toEqual({ byMs: jump * dayMs, untilMs: (jump + days) * dayMs })
    pass(days - 0.5)
    expect(now()).toBe(days - 0.5)
    pass(0.5)
    expect(now()).toBe(jump + days)
    expect(retention.doubt).toBeUndefined()
  }
})

test('a clock that is corrected in time has cost nothing', () => {
  const { retention, now, set, pass } = openRetention()
  set(2)
  now()
  pass(1.5)
  expect(now()).toBe(1.5)
  set(0)
  expect(now()).toBe(1.5)
  expect(retention.doubt).toBeUndefined()
})
