import { describe, expect, test } from 'vitest'
import { jsonText, listParts } from '../../../server/http/json.ts'

const device = Object.freeze({ id: 1, name: 'café "7"', tags: ['a'], customer: null, missing: undefined })

describe('a value is the JSON that the language makes of it', () => {
  test.each([
    ['a string', 'é'],
    ['a number', 7],
    ['nothing', null],
    ['an object', { a: [1, { b: 'c' }] }],
    ['a frozen object', device],
    ['a page of frozen objects', Object.freeze({ items: [device, device], totalItems: 2 })],
    ['an empty page', Object.freeze({ items: [] })],
    ['a page of plain objects', Object.freeze({ totalItems: 1, items: [{ a: 1 }], next: null })],
    ['a frozen object whose items are no list', Object.freeze({ items: 'none' })],
  ])('%s', (_, value) => {
    expect(JSON.parse(jsonText(value))).toEqual(JSON.parse(JSON.stringify(value)))
  })

  test.each([[[]], [[1]], [[device, { a: 1 }, null]]])('a list of %j', (items) => {
    expect([...listParts(items, 20)].join('')).toBe(JSON.stringify(items))
  })
})

test('the text of a frozen object is made once, that of another each time', () => {
  let made = 0
  const counting = { toJSON: () => ++made }
  expect([jsonText(counting), jsonText(counting)]).toEqual(['1', '2'])
  Object.freeze(counting)
  expect([jsonText(counting), jsonText(counting)]).toEqual(['3', '3'])
})

test('a list goes out in parts of the length that was asked for', () => {
  const parts = [
    ...listParts(
      Array.from({ length: 100 }, () => device),
      1000,
    ),
  ]
  expect(parts.length).toBeGreaterThan(3)
  expect(parts.slice(0, -1).every((part) => part.length >= 1000 && part.length < 1100)).toBe(true)
})
