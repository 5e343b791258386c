import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { FairMutex } from '../../../../server/engines/flow/fair-mutex.ts'

test('work whose signal aborted while it waited delays no other work of its key', async () => {
  const mutex = new FairMutex()
  const left = new AbortController()
  const { signal: stays } = new AbortController()
  const begun: string[] = []
  const begin = (key: string, name: string, signal: AbortSignal) =>
    mutex.run(
      key,
      async () => {
        begun.push(name)
        await turn()
        return name
      },
      signal,
    )
  const others = Array.from({ length: 5 }, () => begin('other', 'other', stays))
  const abandoned = Array.from({ length: 5 }, () => begin('own', 'abandoned', left.signal))
  const live = begin('own', 'live', stays)
  left.abort()
  expect(await Promise.all(abandoned)).toEqual(abandoned.map(() => undefined))
  expect(await live).toBe('live')
  await Promise.all(others)
  expect(begun.indexOf('live')).toBeLessThan(3)
  expect(begun).toHaveLength(6)
})
