/** An instant that is too long is not read through: agents send 1 MiB in a message (T26). */
import { expect, test } from 'vitest'
import { dateTime, offsetDateTime } from '../../shared/contract/fields.ts'

/** Shortest time of some readings, which a busy machine lengthens least. */
const timeOf = (read: () => unknown) =>
  Math.min(
    ...Array.from({ length: 10 }, () => {
      const began = performance.now()
      read()
      return performance.now() - began
    }),
  )

test.each([
  ['fractions', '.12345678'],
  ['points', '.'],
])('an instant of 1 million characters, all %s, is rejected as fast by hubs as by routes', (_, part) => {
  const text = part.repeat(1_000_000 / part.length)
  expect(offsetDateTime.safeParse(text).success).toBe(false)
  const inRoutes = timeOf(() => dateTime.safeParse(text))
  expect(timeOf(() => offsetDateTime.safeParse(text))).toBeLessThan(5 * inRoutes + 5)
})
