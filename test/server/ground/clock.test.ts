import { expect, test } from 'vitest'
import { sortInSlices } from '../../../server/ground/clock.ts'

test('sorting thousands of items in slices gives the order of toSorted, and yields', async () => {
  let ticks = 0
  const timer = setInterval(() => ticks++, 0)
  const items = Array.from({ length: 20_000 }, (_, index) => ({ index, rank: (index * 7919) % 5003 }))
  const collator = new Intl.Collator('en', { numeric: true })
  const byRank = (a: (typeof items)[number], b: (typeof items)[number]) => collator.compare(`${a.rank}`, `${b.rank}`)
  const sorted = await sortInSlices(items, byRank)
  clearInterval(timer)
  expect(sorted).toEqual(items.toSorted(byRank))
  expect(ticks).toBeGreaterThan(2)
})
