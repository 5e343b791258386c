import { expect, test } from 'vitest'
import { processMemory, returnMemory } from '../../server/memory-return.ts'
import { manualClock } from '../support/clock.ts'

const mib = 1024 * 1024

/** A process of `mb` MiB, of which `live` MiB remain after a collection. */
function watched({ mb, live }: { mb: number; live: number }) {
  const clock = manualClock()
  const state = { mb, live, utilization: 0, collections: 0 }
  returnMemory(clock, {
    residentBytes: () => state.mb * mib,
    utilization: () => state.utilization,
    collect() {
      state.collections += 1
      state.mb = state.live
    },
  })
  return { state, passMinute: () => clock.advance(60_000) }
}

test('memory is returned once after the start and once after each load', () => {
  const { state, passMinute } = watched({ mb: 130, live: 100 })
  passMinute()
  expect(state).toMatchObject({ mb: 100, collections: 1 })
  passMinute()
  expect(state.collections).toBe(1)
  state.mb = 400
  passMinute()
  expect(state).toMatchObject({ mb: 100, collections: 2 })
})

test('nothing interrupts a busy process', () => {
  const { state, passMinute } = watched({ mb: 400, live: 100 })
  state.utilization = 0.3
  passMinute()
  expect(state.collections).toBe(0)
})

test('a small growth is not worth a pause', () => {
  const { state, passMinute } = watched({ mb: 130, live: 100 })
  passMinute()
  state.mb = 125
  passMinute()
  expect(state.collections).toBe(1)
})

test('the collection of a real process returns the memory that a load has left', () => {
  const memory = processMemory()
  let objects: object[] | undefined = Array.from({ length: 2_000_000 }, (_, index) => ({ index }))
  expect(objects).toHaveLength(2_000_000)
  const { heapTotal } = process.memoryUsage()
  objects = undefined
  memory.collect()
  expect(process.memoryUsage().heapTotal).toBeLessThan(heapTotal - 40 * mib)
})
