import { expect, test } from 'vitest'
import { KeyedQueue } from '../../../../server/engines/flow/keyed-queue.ts'

/** Tasks that wait until they are told to end, with their names in the order of their start. */
function tasks(queue: KeyedQueue) {
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
    begun,
    start,
    end: (name: string) => ends.get(name)!.resolve(),
    fail: (name: string) => ends.get(name)!.reject(new Error(name)),
  }
}

test('tasks of one key above its number wait in order, and those of other keys do not', async () => {
  const { begun, start, end } = tasks(new KeyedQueue(2))
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
  const { begun, start, fail } = tasks(new KeyedQueue(1))
  const first = start('a', 'a1')
  void start('a', 'a2')
  fail('a1')
  await expect(first).rejects.toThrow('a1')
  expect(begun).toEqual(['a1', 'a2'])
})
