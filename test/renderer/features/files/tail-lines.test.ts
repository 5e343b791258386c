import { expect, test } from 'vitest'
import { TailLines } from '../../../../renderer/features/files/tail-lines.ts'

test('lines are joined over pieces of text, and only the last are kept', () => {
  const tail = new TailLines(3)
  tail.add('a\nb')
  tail.add('b\r\nc\n')
  tail.add('')
  expect(tail.lines).toEqual(['a', 'bb', 'c'])
  tail.add('d')
  tail.addNote('note')
  tail.add('e\n')
  expect(tail.lines).toEqual(['d', 'note', 'e'])
})

test('a device cannot fill the memory of the page with one line or with many (T35)', () => {
  const tail = new TailLines(5_000)
  for (let index = 0; index < 2_000; index++) {
    tail.add(`${'x'.repeat(5_000)}\n`)
  }
  const { lines } = tail
  expect(lines.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(2_000_000)
  expect(lines.at(-1)).toHaveLength(4_000)
})
