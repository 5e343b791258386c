import { expect } from 'vitest'

const isAsLong = (ratio: number) => ratio > 0.4 && ratio < 2.5
const mostRounds = 8

/**
 * Fails when two things do not take about as long. `round` measures each, in ms, the fastest of a few; it is asked again
 * while the fastest of all rounds differ, for a busy machine delays one as well as the other, and what saves its work is
 * as quick in every round.
 */
export async function expectAsLong(round: () => Promise<readonly [number, number]>): Promise<void> {
  let [first, second] = [Infinity, Infinity]
  for (let count = 0; count < mostRounds && !isAsLong(first / second); count++) {
    const measured = await round()
    first = Math.min(first, measured[0])
    second = Math.min(second, measured[1])
  }
  expect([first, second]).toSatisfy(() => isAsLong(first / second))
}
