import { expect, test } from 'vitest'
import { SpanBudget } from '../../../server/telemetry/span-budget.ts'

test('the first requests of each second are recorded, up to the budget', () => {
  const budget = new SpanBudget(2)
  const recorded = [1_000, 1_001, 1_002, 1_999, 2_000, 2_001, 2_002].map((at) => budget.take(at))
  expect(recorded).toEqual([true, true, false, false, true, true, false])
  const all = new SpanBudget(Infinity)
  expect(Array.from({ length: 1_000 }, () => all.take(1_000)).every(Boolean)).toBe(true)
})
