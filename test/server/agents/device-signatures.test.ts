import { expect, test } from 'vitest'
import { readTicks, ReplayGuard } from '../../../server/agents/device-signatures.ts'
import { manualClock } from '../../support/clock.ts'

test('new devices are cached up to a limit, and an evicted device still accepts no replay', () => {
  const clock = manualClock()
  const guard = new ReplayGuard(clock, 60_000, 2)
  const at = (seconds: number) => readTicks(new Date(clock.now() + seconds * 1000).toISOString())
  const accept = (deviceId: string, ticks: number, stored: number | null = null) =>
    guard.accept({ deviceId, key: 'key', ticks, stored })

  expect([accept('known', at(0)), accept('known', at(-1)), accept('known', at(-1))]).toEqual([true, true, false])
  for (const deviceId of ['first', 'second', 'third']) {
    expect(accept(deviceId, at(0))).toBe(true)
  }
  expect(guard.size).toBe(2)
  const stored = at(0)
  expect([accept('known', at(0), stored), accept('known', at(-1), stored)]).toEqual([false, false])
  expect([accept('known', at(1), stored), accept('known', at(1), stored)]).toEqual([true, false])
})

test('an update that another server of the database has accepted is a replay here (T13)', () => {
  const clock = manualClock()
  const guard = new ReplayGuard(clock, 60_000)
  const at = (seconds: number) => readTicks(new Date(clock.now() + seconds * 1000).toISOString())
  const accept = (ticks: number, stored: number) => guard.accept({ deviceId: 'moved', key: 'key', ticks, stored })
  expect(accept(at(0), at(-1))).toBe(true)
  expect([accept(at(5), at(10)), accept(at(10), at(10)), accept(at(11), at(10))]).toEqual([false, false, true])
})
