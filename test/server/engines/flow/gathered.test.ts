import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Gathered } from '../../../../server/engines/flow/gathered.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

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
  return {
    started,
    run: (item: number, sender = item) => gathered.run(sender, item),
    end: (item: number) => ends.get(item)!,
  }
}

const items = (count: number) => Array.from({ length: count }, (_, index) => index)

test('a first item starts at once, later ones together within a moment', async () => {
  const { started, run, end } = createWork()
  const first = run(1)
  const others = [2, 3].map((item) => run(item))
  expect(started).toEqual([1])
  end(1).resolve('one')
  expect(await first).toBe('one')
  vi.advanceTimersByTime(50)
  expect(started).toEqual([1, 2, 3])
  end(2).resolve('two')
  end(3).resolve('three')
  expect(await Promise.all(others)).toEqual(['two', 'three'])
})

test('many items start without a wait', () => {
  const { started, run } = createWork()
  void run(100)
  items(32).forEach((item) => void run(item))
  expect(started).toEqual([100, ...items(32)])
})

test('the next item of a sender whose last one ended does not wait', async () => {
  const { started, run, end } = createWork()
  for (const item of items(50)) {
    const result = run(item, 7)
    expect(started.at(-1)).toBe(item)
    end(item).resolve('done')
    await result
  }
})

test('all items of a group end together, and one that fails fails alone', async () => {
  const { started, run, end } = createWork()
  void run(0)
  let ended = 0
  const group = [1, 2, 3].map((item) => run(item).finally(() => ended++))
  const results = Promise.allSettled(group)
  vi.advanceTimersByTime(50)
  expect(started).toHaveLength(4)
  end(1).resolve('one')
  end(2).reject(new Error('two'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(ended).toBe(0)
  end(3).resolve('three')
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})
