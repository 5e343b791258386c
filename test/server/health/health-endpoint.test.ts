import { expect, test } from 'vitest'
import type { App } from '../../../server/call/call.ts'
import { healthChecks } from '../../../server/health/health-endpoint.ts'
import { manualClock } from '../../support/clock.ts'

test('/health asks a database that answers once in 5 s, and one that fails each time', async () => {
  let [asked, isDown] = [0, true]
  const database = { all: async () => (asked++, isDown ? Promise.reject(new Error('down')) : []) }
  const clock = manualClock()
  const health = healthChecks({ database, clock } as unknown as App, () => false)['/health']!
  expect([await health(), asked]).toEqual([503, 1])
  isDown = false
  expect([await health(), asked]).toEqual([200, 2])
  isDown = true
  clock.advance(4_999)
  expect([await health(), asked]).toEqual([200, 2])
  clock.advance(1)
  expect([await health(), asked]).toEqual([503, 3])
})
