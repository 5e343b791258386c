import { expect, test } from 'vitest'
import { isSince } from '../../../server/alerts/is-since.ts'
import { manualClock } from '../../support/clock.ts'

const hourMs = 60 * 60_000
const noon = Date.UTC(2026, 5, 15, 12)
const rule = { startedAt: noon }

test('a rule counts from its start, also for what happened before the clock was set back', () => {
  const seen = (clockAt: number, at: number) => isSince({ clock: manualClock(clockAt) }, rule, at)
  const later = noon + 2 * hourMs
  expect([seen(later, noon - 1), seen(later, noon), seen(later, later)]).toEqual([false, true, true])
  // Set back by hours: what was before and after the start, and what happens now.
  const back = noon - 3 * hourMs
  expect([seen(back, noon - hourMs), seen(back, noon + hourMs), seen(back, back)]).toEqual([false, true, true])
})
