import { expect, test } from 'vitest'
import { ObjectStream } from '../../../renderer/api/object-stream.ts'

const entries = [{ name: 'a"}]{[\\', deep: { list: [1, { x: '}' }] } }, { name: 'b\\"' }, {}]
const text = JSON.stringify({ directoryExists: true, entries })

test.each([1, 2, 3, 7, 1_000])('objects are whole when the text arrives in pieces of %i characters', (length) => {
  const stream = new ObjectStream()
  const found: unknown[] = []
  for (let at = 0; at < text.length; at += length) {
    expect(stream.isDone).toBe(false)
    found.push(...stream.add(text.slice(at, at + length)))
  }
  expect(found).toEqual(entries)
  expect([stream.head, stream.isDone]).toEqual(['{"directoryExists":true,"entries":', true])
})

test('a text that breaks off is not done', () => {
  const stream = new ObjectStream()
  expect(stream.add(text.slice(0, -2))).toEqual(entries)
  expect(stream.isDone).toBe(false)
})
