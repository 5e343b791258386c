import { describe, expect, test } from 'vitest'
import { jsonBytes, listPieces } from '../../../server/http/json.ts'

const text = (value: unknown) => jsonBytes(value).toString()
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
    expect(JSON.parse(text(value))).toEqual(JSON.parse(JSON.stringify(value)))
  })

  test.each([[[]], [[1]], [[device, { a: 1 }, null]]])('a list of %j', (items) => {
    expect(Buffer.concat([...listPieces(items)]).toString()).toBe(JSON.stringify(items))
  })
})

test('the text of a frozen object is made once, that of another each time', () => {
  expect(jsonBytes(device)).toBe(jsonBytes(device))
  const changing = { name: 'old' }
  expect(text(changing)).toBe('{"name":"old"}')
  changing.name = 'new'
  expect(text(changing)).toBe('{"name":"new"}')
})
