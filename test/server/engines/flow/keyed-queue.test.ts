import { expect, test } from 'vitest'
import { KeyedQueue } from '../../../../server/engines/flow/keyed-queue.ts'
import { manualClock } from '../../../support/clock.ts'

/** Tasks of a queue that wait until they are told to end, with their names in the order of their start. */
function tasks(ofKey: number, ofPart = ofKey) {
  const clock = manualClock()
  const queue = new KeyedQueue(clock, { ofKey, ofPart })
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  const start = (key: string, name: string, part = '') => {
    const end = Promise.withResolvers<void>()
    ends.set(name, end)
    return queue.run(key, part, () => {
      begun.push(name)
      return end.promise
    })
  }
  return {
    clock,
    begun,
    start,
    end: (name: string) => ends.get(name)!.resolve(),
    fail: (name: string) => ends.get(name)!.reject(new Error(name)),
  }
}

test('tasks of one key above its number wait in order, and those of other keys do not', async () => {
  const { begun, start, end } = tasks(2)
  const first = start('a', 'a1')
  const [second] = [start('a', 'a2'), start('a', 'a3'), start('a', 'a4'), start('b', 'b1')]
  expect(begun).toEqual(['a1', 'a2', 'b1'])
  end('a1')
  await first
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3'])
  end('a2')
  await second
  expect(begun.at(-1)).toBe('a4')
})

test('a task that fails gives its place to the next one', async () => {
  const { begun, start, fail } = tasks(1)
  const first = start('a', 'a1')
  void start('a', 'a2')
  fail('a1')
  await expect(first).rejects.toThrow('a1')
  expect(begun).toEqual(['a1', 'a2'])
})

test('a task that takes a second gives its place to the next one, as many as there are places', async () => {
  const { clock, begun, start, end } = tasks(1)
  const [first, second] = [start('a', 'a1'), start('a', 'a2'), start('a', 'a3'), start('a', 'a4')]
  for (let passed = 0; passed < 4; passed++) {
    clock.advance(1_000)
    await Promise.resolve()
  }
  expect(begun).toEqual(['a1', 'a2'])
  end('a1')
  await first
  expect(begun).toEqual(['a1', 'a2'])
  end('a2')
  await second
  expect(begun).toEqual(['a1', 'a2', 'a3'])
})

test('a task that finds as many slow ones as there are places gives its place once one of them has ended', async () => {
  const { clock, begun, start, end } = tasks(1)
  const [first] = [start('a', 'a1'), start('a', 'a2'), start('a', 'a3')]
  clock.advance(1_000)
  await Promise.resolve()
  clock.advance(1_000)
  expect(begun).toEqual(['a1', 'a2'])
  end('a1')
  await first
  clock.advance(1_000)
  await Promise.resolve()
  expect(begun).toEqual(['a1', 'a2', 'a3'])
})

test('a part of a key leaves places to the others, and parts that wait alternate', async () => {
  const { begun, start, end } = tasks(3, 2)
  const [first] = ['a1', 'a2', 'a3', 'a4'].map((name) => start('account', name, 'token'))
  expect(begun).toEqual(['a1', 'a2'])
  const [own] = ['b1', 'b2', 'b3'].map((name) => start('account', name, 'session'))
  expect(begun).toEqual(['a1', 'a2', 'b1'])
  end('a1')
  await first
  expect(begun.at(-1)).toBe('a3')
  end('b1')
  await own
  expect(begun.at(-1)).toBe('b2')
})
