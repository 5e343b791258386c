import { expect, test } from 'vitest'
import { nameOfKey } from '../../../server/recordings/key-names.ts'

const none = { control: false, shift: false, alt: false, meta: false }
const [auto, physical, virtual] = [0, 1, 2] as const

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
  expect(nameOfKey({ key, code: '', inputMode: auto, modifiers: { ...none, ...held } })).toBe(name)
})

const control = { control: true }
const positions: [string, string, 0 | 1 | 2, Partial<typeof none>, string | undefined][] = [
  ['Shift', 'Delete', physical, {}, 'Delete'],
  ['Shift', 'Delete', auto, {}, 'Delete'],
  ['F5', 'Enter', auto, {}, 'Enter'],
  ['Enter', 'NumpadEnter', auto, {}, 'Enter'],
  ['End', 'Numpad1', auto, {}, 'End (Numpad1)'],
  ['Delete', 'NumpadDecimal', auto, control, 'Ctrl+Delete (NumpadDecimal)'],
  ['1', 'Numpad1', physical, {}, undefined],
  ['Hunter2', 'Numpad1', auto, {}, undefined],
  ['Enter', 'Unidentified', auto, {}, 'Enter'],
  ['a', 'Delete', physical, {}, 'Delete'],
  ['a', 'Delete', auto, {}, undefined],
  ['F5', 'KeyA', auto, {}, undefined],
  ['Shift', 'Paste', auto, {}, undefined],
  ['AltGraph', 'AltRight', auto, {}, ''],
  ['c', 'KeyC', physical, control, 'Ctrl+C'],
  ['c', 'KeyV', auto, control, 'Ctrl+C (KeyV)'],
  ['c', 'Delete', virtual, control, 'Ctrl+C (Delete)'],
  ['c', 'Hunter2', auto, control, undefined],
]

test.each(positions)(
  'the key %s at the position %s in mode %i with %j is recorded as %s',
  (key, code, inputMode, held, name) => {
    expect(nameOfKey({ key, code, inputMode, modifiers: { ...none, ...held } })).toBe(name)
  },
)
