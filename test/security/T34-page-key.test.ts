/** The page key in a tab that stays open while sessions end. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { pageKeyHeader } from '../../shared/page-key.ts'
import { forgetPageKey, pageHeaders } from '../../renderer/api/page-key.ts'

const key = () => pageHeaders[pageKeyHeader]

/** Storage like a browser's. */
function storageOf(stored: Map<string, string>) {
  return {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => stored.set(name, value),
    removeItem: (name: string) => stored.delete(name),
  }
}

describe.each([
  ['a browser that stores it', () => storageOf(new Map())],
  ['a browser that stores nothing', () => undefined],
])('T34: in %s', (_, storage) => {
  beforeEach(() => {
    vi.stubGlobal('localStorage', storage())
    return () => vi.unstubAllGlobals()
  })

  test('the key is stored until it is removed, and the same tab then makes another', () => {
    const first = key()
    expect(first).toHaveLength(43)
    expect(key()).toBe(first)
    forgetPageKey()
    expect(key()).not.toBe(first)
    expect(key()).toBe(key())
  })
})

test('T34: a key that another tab removed is not restored', () => {
  const stored = new Map<string, string>()
  vi.stubGlobal('localStorage', storageOf(stored))
  const first = key()
  stored.clear()
  expect(key()).not.toBe(first)
  vi.unstubAllGlobals()
})
