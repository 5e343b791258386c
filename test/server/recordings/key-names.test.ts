import { expect, test } from 'vitest'
import { nameOfKey } from '../../../server/recordings/key-names.ts'

const none = { control: false, shift: false, alt: false, meta: false }

const cases: [string, Partial<typeof none>, string | undefined][] = [
  ['Enter', {}, 'Enter'],
  ['ArrowLeft', { shift: true }, 'Shift+ArrowLeft'],
  ['F11', {}, 'F11'],
  ['c', { control: true }, 'Ctrl+C'],
  ['Shift', {}, ''],
  ['a', {}, undefined],
  ['@', { control: true, alt: true }, undefined],
  ['Hunter2', {}, undefined],
  ['Hunter', {}, undefined],
]

test.each(cases)('the key %s with %j is recorded as %s; undefined stands for a typed character', (key, held, name) => {
  expect(nameOfKey({ key, modifiers: { ...none, ...held } })).toBe(name)
})
