import { expect, test } from 'vitest'
import { FailureThrottle, type FailureThrottleOptions } from '../../../server/credentials/failure-throttle.ts'
import { manualClock } from '../../support/clock.ts'
import { createTestLog } from '../../support/log.ts'

const minute = 60_000

function build(options: Partial<FailureThrottleOptions> = {}) {
  const clock = manualClock()
  const log = createTestLog()
  const throttle = new FailureThrottle(
    { clock, log, cluster: undefined },
    { subject: 'x-key', limit: 3, windowMs: minute, ...options },
  )
  let attempts = 0
  /** Outcome of an attempt: checked and correct, checked and wrong, or rejected without a check. */
  const attempt = (axes: readonly string[], isRight: boolean) => {
    const before = attempts
    try {
      throttle.attempt(axes, () => {
        attempts++
        return isRight || undefined
      })
      return 'let in'
    } catch (error) {
      expect(error).toMatchObject({ status: 401, headers: {} })
      return attempts > before ? 'wrong' : 'blocked'
    }
  }
  const fail = (axes: readonly string[], times: number) => Array.from({ length: times }, () => attempt(axes, false))
  return { clock, log, throttle, attempt, fail }
}

test('the limit applies to each address and each key separately, and further attempts are rejected without a check', () => {
  const { attempt, fail } = build()
  expect(fail(['a', 'x'], 4)).toEqual(['wrong', 'wrong', 'wrong', 'blocked'])
  expect(attempt(['a', 'y'], true)).toBe('blocked')
  expect(attempt(['b', 'x'], true)).toBe('blocked')
  expect(attempt(['b', 'y'], true)).toBe('let in')
})

test('failures add up from several addresses on one key, and from one address on several keys', () => {
  const { attempt, fail } = build()
  for (const address of ['a', 'b', 'c']) {
    fail([address, 'x'], 1)
  }
  expect(attempt(['d', 'x'], true)).toBe('blocked')
  for (const key of ['u', 'v']) {
    fail(['d', key], 1)
  }
  fail(['d', 'w'], 1)
  expect(attempt(['d', 'free'], true)).toBe('blocked')
})

test('the window starts with the first failure; attempts while blocked do not prolong it', () => {
  const { clock, attempt, fail } = build()
  fail(['a'], 2)
  clock.advance(minute - 1_000)
  expect(fail(['a'], 2)).toEqual(['wrong', 'blocked'])
  clock.advance(999)
  expect(attempt(['a'], true)).toBe('blocked')
  clock.advance(1)
  expect(fail(['a'], 2)).toEqual(['wrong', 'wrong'])
})

test('a success clears the counts of its address and its key', () => {
  const { attempt, fail } = build()
  fail(['a', 'x'], 2)
  expect(attempt(['a', 'x'], true)).toBe('let in')
  expect(fail(['a', 'x'], 3)).toEqual(['wrong', 'wrong', 'wrong'])
})

test.each([{ limit: 0 }, { limit: -1 }, { windowMs: 0 }, { windowMs: -5 }])(
  'the options %j turn the throttle off',
  (options) => {
    const { fail, throttle } = build(options)
    expect(new Set(fail(['a', 'x'], 20))).toEqual(new Set(['wrong']))
    expect(throttle.size).toBe(0)
  },
)

test('memory is bounded: the oldest counts are evicted, and no one is blocked without failures', () => {
  const { attempt, fail, throttle } = build({ maxAxes: 100 })
  for (let index = 0; index < 5_000; index++) {
    fail([`address ${index}`, `key ${index}`], 1)
  }
  expect(throttle.size).toBeLessThanOrEqual(101)
  expect(attempt(['address 4999', 'new'], true)).toBe('let in')
  expect(attempt(['innocent', 'fine'], true)).toBe('let in')
})

test('counts whose window has passed are freed', () => {
  const { clock, fail, throttle } = build()
  for (let index = 0; index < 50; index++) {
    fail([`address ${index}`], 1)
  }
  clock.advance(minute)
  fail(['last'], 1)
  expect(throttle.size).toBe(1)
})

test('a blocked address and a blocked key are logged once each', () => {
  const { fail, log } = build()
  fail(['a', 'x'], 6)
  expect(log.lines.map(({ level, fields }) => [level, fields])).toEqual([
    ['warn', { axis: 'a', windowMs: minute }],
    ['warn', { axis: 'x', windowMs: minute }],
  ])
})
