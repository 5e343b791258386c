import { expect, test } from 'vitest'
import { Gathered } from '../../../../server/engines/flow/gathered.ts'

/** Work that ends when the test says so. */
function createWork() {
  const started: number[] = []
  const ends = new Map<number, PromiseWithResolvers<string>>()
  const gathered = new Gathered((item: number) => {
    const end = Promise.withResolvers<string>()
    started.push(item)
    ends.set(item, end)
    return end.promise
  })
  return { started, gathered, end: (item: number) => ends.get(item)! }
}

const items = (count: number) => Array.from({ length: count }, (_, index) => index)

test('a first item starts at once, later ones together within a moment', async () => {
  const { started, gathered, end } = createWork()
  const first = gathered.run(1)
  const others = [2, 3].map((item) => gathered.run(item))
  expect(started).toEqual([1])
  end(1).resolve('one')
  expect(await first).toBe('one')
  await expect.poll(() => started).toEqual([1, 2, 3])
  end(2).resolve('two')
  end(3).resolve('three')
  expect(await Promise.all(others)).toEqual(['two', 'three'])
})

test('many items start without a wait', () => {
  const { started, gathered } = createWork()
  void gathered.run(100)
  items(32).forEach((item) => void gathered.run(item))
  expect(started).toEqual([100, ...items(32)])
})

test('all items of a group end together, and one that fails fails alone', async () => {
  const { started, gathered, end } = createWork()
  void gathered.run(0)
  let ended = 0
  const group = [1, 2, 3].map((item) => gathered.run(item).finally(() => ended++))
  const results = Promise.allSettled(group)
  await expect.poll(() => started).toHaveLength(4)
  end(1).resolve('one')
  end(2).reject(new Error('two'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(ended).toBe(0)
  end(3).resolve('three')
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})
