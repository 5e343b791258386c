import { expect, test } from 'vitest'
import { deferred } from '../../shared/deferred.ts'
import { KeyedMutex, Mutex } from '../../shared/mutex.ts'

test('a mutex runs work one at a time in order, also behind work that fails', async () => {
  const mutex = new Mutex()
  const first = deferred<void>()
  const seen: string[] = []
  const failed = mutex.run(() => first.promise.then(() => seen.push('first')))
  const second = mutex.run(async () => seen.push('second'))
  expect(seen).toEqual([])
  first.reject(new Error('failed'))
  await expect(failed).rejects.toThrow('failed')
  await second
  expect(seen).toEqual(['second'])
})

test('a mutex is idle only when work that was queued meanwhile has ended', async () => {
  const mutex = new Mutex()
  const seen: string[] = []
  void mutex.run(async () => {
    void mutex.run(async () => seen.push('queued meanwhile'))
  })
  await mutex.idle()
  expect(seen).toEqual(['queued meanwhile'])
})

const [one, other] = ['one', 'other']

test('a keyed mutex makes only work of the same key wait', async () => {
  const mutex = new KeyedMutex()
  const first = deferred<void>()
  const seen: string[] = []
  const held = mutex.run(one, () => first.promise)
  const waiting = mutex.run(one, async () => seen.push('a'))
  await mutex.run(other, async () => seen.push('b'))
  expect(seen).toEqual(['b'])
  first.resolve()
  await Promise.all([held, waiting])
  expect(seen).toEqual(['b', 'a'])
})
