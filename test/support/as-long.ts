import { expect } from 'vitest'

const isAsLong = (ratio: number) => ratio > 0.4 && ratio < 2.5
const mostRounds = 8

/**
 * Fails when two operations differ in their duration. `round` returns the fastest time of each in ms, and is repeated
 * while the fastest times of all rounds differ: load delays both operations, but a real shortcut is faster in every
 * round.
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
