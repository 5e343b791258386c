import { describe, expect, test } from 'vitest'
import { jsonBytes, jsonText, keepJson } from '../../../server/ground/json.ts'
import { listOf, listParts, pageOf, type List } from '../../../server/engines/http/contract/list.ts'

const device = keepJson({ id: 1, name: 'café "7"', tags: ['a'], customer: null, missing: undefined })

/** Parts of a list, in buffers of `size` bytes unless an item needs more. */
function partsOf(list: List, size = 40): string[] {
  const parts = listParts(list, (bytes) => Buffer.alloc(Math.max(size, bytes), '?'))
  const texts: string[] = []
  let part = parts.next()
  for (; !part.done; part = parts.next()) {
    texts.push(part.value.toString())
  }
  return [...texts, part.value.toString()]
}

describe('a value is written as JSON.stringify writes it', () => {
  test.each([
    ['a string', 'é'],
    ['a number', 7],
    ['nothing', null],
    ['an object', { a: [1, { b: 'c' }] }],
    ['an object that keeps its own', device],
  ])('%s', (_, value) => {
    expect(jsonText(value)).toBe(JSON.stringify(value))
    expect(jsonBytes(value).toString()).toBe(JSON.stringify(value))
  })

  const lists = [[], [1], [device], [device, { a: 1 }, null], ['x'.repeat(100), 1, 2, device]]
  test.each(lists.map((items) => [items]))('a list, and a page, of %j', (items) => {
    expect(partsOf(listOf(items)).join('')).toBe(JSON.stringify(items))
    for (const rest of [{}, { totalItems: 2, next: null }]) {
      expect(partsOf(pageOf({ ...rest, items })).join('')).toBe(JSON.stringify({ ...rest, items }))
    }
  })
})

test('cached JSON is made once and its object frozen; other JSON is made each time', () => {
  let made = 0
  const counting = { toJSON: () => ++made }
  expect([jsonText(counting), jsonText(counting)]).toEqual(['1', '2'])
  keepJson(counting)
  expect([jsonText(counting), jsonText(counting)]).toEqual(['3', '3'])
  expect([jsonBytes(counting), jsonBytes(counting)].map(String)).toEqual(['4', '4'])
  expect(Object.isFrozen(counting)).toBe(true)
  expect(Object.keys(counting)).toEqual(['toJSON'])
})

test('a list is written in full chunks', () => {
  const items = Array.from({ length: 100 }, () => device)
  const parts = partsOf(listOf(items), 1000)
  expect(parts.length).toBeGreaterThan(3)
  expect(parts.slice(0, -1).every((part) => part.length > 900 && part.length <= 1000)).toBe(true)
})
