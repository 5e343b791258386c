import { expect, test } from 'vitest'
import { Slots } from '../../../../server/engines/outgoing/slots.ts'

test('work that hangs takes no more than its share, and that of others starts in its order', async () => {
  const slots = new Slots({ total: 3, share: 2 })
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const occupy = (share: string, name: string) =>
    slots.run(share, () => {
      started.push(name)
      return new Promise<void>((resolve) => ends.set(name, resolve))
    })
  const all = [
    occupy('a', 'a1'),
    occupy('a', 'a2'),
    occupy('a', 'a3'),
    occupy('b', 'b1'),
    occupy('c', 'c1'),
    occupy('b', 'b2'),
  ]
  expect(started).toEqual(['a1', 'a2', 'b1'])
  const end = async (name: string, index: number) => {
    ends.get(name)!()
    await all[index]
  }
  await end('b1', 3)
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1'])
  await end('a1', 0)
  expect(started.at(-1)).toBe('a3')
  await end('c1', 4)
  expect(started.at(-1)).toBe('b2')
  const share = 'a'
  const work = () => Promise.reject(new Error('refused'))
  const failing = slots.run(share, work)
  await end('a2', 1)
  await expect(failing).rejects.toThrow('refused')
  await end('a3', 2)
  await end('b2', 5)
})
