import { expect, test } from 'vitest'
import { deferred } from '../../../shared/deferred.ts'
import { limitConcurrency } from '../../../renderer/api/limit-concurrency.ts'

test('work beyond the limit waits for its turn, in order, also after a failure', async () => {
  const run = limitConcurrency(2)
  const started: number[] = []
  const works = Array.from({ length: 4 }, () => deferred<number>())
  const results = works.map(({ promise }, index) =>
    run(() => {
      started.push(index)
      return promise
    }).catch((error: unknown) => (error as Error).message),
  )
  expect(started).toEqual([0, 1])
  works[1]!.reject(new Error('The device is slow.'))
  expect(await results[1]).toBe('The device is slow.')
  expect(started).toEqual([0, 1, 2])
  works[0]!.resolve(0)
  expect(await results[0]).toBe(0)
  expect(started).toEqual([0, 1, 2, 3])
  works[2]!.resolve(2)
  works[3]!.resolve(3)
  expect(await Promise.all(results.slice(2))).toEqual([2, 3])
})
