import { expect, test } from 'vitest'
import { KeyedQueue } from '../../../../server/engines/flow/keyed-queue.ts'
import { manualClock } from '../../../support/clock.ts'

/** Tasks of a queue that wait until they are told to end, with their names in the order of their start. */
function tasks(most: number) {
  const clock = manualClock()
  const queue = new KeyedQueue(clock, most)
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  const start = (key: string, name: string) => {
    const end = Promise.withResolvers<void>()
    ends.set(name, end)
    return queue.run(key, () => {
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

test('a task that takes a second gives its place to the next one, as eight slow ones of each place do at most', async () => {
  const { clock, begun, start, end } = tasks(1)
  const names = Array.from({ length: 11 }, (_, index) => `a${index}`)
  const runs = names.map((name) => start('a', name))
  expect(begun).toEqual(['a0'])
  for (let passed = 0; passed < names.length; passed++) {
    clock.advance(1_000)
    await Promise.resolve()
  }
  expect(begun).toEqual(names.slice(0, 9))
  end('a3')
  await runs[3]
  clock.advance(1_000)
  expect(begun).toEqual(names.slice(0, 9))
  end('a8')
  await runs[8]
  expect(begun).toEqual(names.slice(0, 10))
})
