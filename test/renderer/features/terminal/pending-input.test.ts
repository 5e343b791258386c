import { expect, test, vi } from 'vitest'
import { createPendingInput, visibleText } from '../../../../renderer/features/terminal/pending-input.ts'

test('text, tabs and control characters wait, and are handed over once', () => {
  const pending = createPendingInput(() => {})
  pending.add('ls\t')
  pending.add('-l\r\x03')
  expect(pending.take()).toBe('ls\t-l\r\x03')
  expect(pending.take()).toBe('')
  expect(pending.isEmpty()).toBe(true)
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
])('%s does not wait', (_, data) => {
  const onChange = vi.fn()
  const pending = createPendingInput(onChange)
  pending.add(data)
  expect(pending.isEmpty()).toBe(true)
  expect(onChange).not.toHaveBeenCalled()
})

test('a paste waits without the marks around it', () => {
  const pending = createPendingInput(() => {})
  pending.add('\x1b[200~one\rtwo\x1b[201~')
  expect(pending.take()).toBe('one\rtwo')
})

test('Backspace takes back one character, also one of two units', () => {
  const pending = createPendingInput(() => {})
  pending.add('a😀')
  pending.add('\x7f')
  pending.add('b\x7f\x7f\x7f')
  expect(pending.isEmpty()).toBe(true)
})

test('what has no look of its own is shown by a sign', () => expect(visibleText('a\tb\x03\rc\x7f')).toBe('a⇥b^C⏎\nc^?'))
