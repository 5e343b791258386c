import { expect, test, vi } from 'vitest'
import { createPendingInput, visibleText } from '../../../../renderer/features/terminal/pending-input.ts'

test('text, tabs and control characters are held, and handed over once', () => {
  const held = createPendingInput(() => {})
  held.add('ls\t')
  held.add('-l\r\x03')
  expect(held.take()).toBe('ls\t-l\r\x03')
  expect(held.take()).toBe('')
  expect(held.isEmpty()).toBe(true)
})

test.each([
  ['an arrow', '\x1b[A'],
  ['an arrow of an application', '\x1bOA'],
  ['a report of the focus', '\x1b[I'],
  ['a report of the mouse', '\x1b[<0;12;3M'],
  ['an old report of the mouse', '\x1b[M !!'],
  ['an answer about the terminal', '\x1b[?1;2c'],
  ['an answer about colors', '\x1b]11;rgb:00/00/00\x07'],
  ['Alt with a letter', '\x1bx'],
  ['Esc', '\x1b'],
])('%s is not held', (_, data) => {
  const onChange = vi.fn()
  const held = createPendingInput(onChange)
  held.add(data)
  expect(held.isEmpty()).toBe(true)
  expect(onChange).not.toHaveBeenCalled()
})

test('a paste is held without the marks around it', () => {
  const held = createPendingInput(() => {})
  held.add('\x1b[200~one\rtwo\x1b[201~')
  expect(held.take()).toBe('one\rtwo')
})

test('Backspace takes back one character, also one of two units', () => {
  const held = createPendingInput(() => {})
  held.add('a😀')
  held.add('\x7f')
  held.add('b\x7f\x7f\x7f')
  expect(held.isEmpty()).toBe(true)
})

test('what has no look of its own is shown by a sign', () => expect(visibleText('a\tb\x03\rc\x7f')).toBe('a⇥b^C⏎\nc^?'))
