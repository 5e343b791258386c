import { expect, test } from 'vitest'
import { isForInputMethod, strokesOf, type KeyLike } from '../../../../renderer/features/control/keys.ts'

const plain: KeyLike = {
  key: '',
  code: '',
  ctrlKey: false,
  shiftKey: false,
  altKey: false,
  metaKey: false,
  isComposing: false,
  keyCode: 0,
}

test('halves of characters are left to the input method', () => {
  expect(isForInputMethod({ ...plain, key: 'Dead' })).toBe(true)
  expect(isForInputMethod({ ...plain, key: 'Process' })).toBe(true)
  expect(isForInputMethod({ ...plain, key: 'a', isComposing: true })).toBe(true)
  expect(isForInputMethod({ ...plain, key: 'k', code: 'KeyK', keyCode: 229 })).toBe(true)
  expect(isForInputMethod({ ...plain, key: 'é', code: 'KeyE' })).toBe(false)
})

test('keys without a position are sent as text, except for named keys and shortcuts', () => {
  expect(isForInputMethod({ ...plain, key: 'a' })).toBe(true)
  expect(isForInputMethod({ ...plain, key: 'a', ctrlKey: true })).toBe(false)
  expect(isForInputMethod({ ...plain, key: 'Backspace' })).toBe(false)
})

test('a special key presses its modifiers first and lets go of them last', () => {
  const strokes = strokesOf({ label: '', held: ['control', 'shift'], key: 'Escape', code: 'Escape' })
  expect(strokes.map(({ code, isPressed }) => `${isPressed ? '+' : '-'}${code}`)).toEqual([
    '+ControlLeft',
    '+ShiftLeft',
    '+Escape',
    '-Escape',
    '-ShiftLeft',
    '-ControlLeft',
  ])
  expect(strokes[2]?.modifiers).toEqual({ control: true, shift: true, alt: false, meta: false })
  expect(strokes.at(-1)?.modifiers).toEqual({ control: false, shift: false, alt: false, meta: false })
})
