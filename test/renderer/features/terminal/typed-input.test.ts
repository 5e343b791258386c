import { expect, test, vi } from 'vitest'
import { TypedInput } from '../../../../renderer/features/terminal/typed-input.ts'
import type { TerminalMessage } from '../../../../renderer/features/terminal/input-queue.ts'

const settle = () => new Promise((resolve) => setImmediate(resolve))

function startInput(send: (message: TerminalMessage) => Promise<void> = () => Promise.resolve()) {
  const sent: TerminalMessage[] = []
  const held: string[] = []
  const onUnsent = vi.fn()
  const input: TypedInput = new TypedInput({
    write: () => {},
    send(message) {
      sent.push(message)
      return send(message)
    },
    onUnsent,
    onHeld: (text) => held.push(text),
    onKeys: () => {},
    complete: () => Promise.reject(new Error('nothing to complete')),
    onCompletions: () => {},
  })
  return { input, sent, held, onUnsent }
}

test('keystrokes go to a shell that answers as they are', () => {
  const { input, sent, held } = startInput()
  input.begin('pty')
  input.release()
  input.type('\x1b[A', true)
  expect(sent).toEqual([{ input: '\x1b[A' }])
  expect(held).toEqual([])
})

test('a line-based shell gets whole lines', () => {
  const { input, sent } = startInput()
  input.begin('line')
  input.release()
  input.type('dir', true)
  expect(sent).toEqual([])
  input.type('\r', true)
  expect(sent).toEqual([{ input: 'dir' }])
})

test('input typed without a connection waits, and later input too, until the user sends it', () => {
  const { input, sent, held } = startInput()
  input.expect()
  input.type('rm', false)
  input.begin('pty')
  input.release()
  input.type(' x\r', true)
  expect(sent).toEqual([])
  expect(held.at(-1)).toBe('rm x\r')
  input.sendHeld()
  expect(sent).toEqual([{ input: 'rm x\r' }])
  expect(held.at(-1)).toBe('')
})

test('input of a failed call, and the input queued behind it, is stored', async () => {
  const { input, sent, held, onUnsent } = startInput(() => Promise.reject(new Error('gone')))
  onUnsent.mockImplementation(() => input.lose())
  input.begin('pty')
  input.release()
  input.type('one', true)
  input.type('two', true)
  await settle()
  expect(onUnsent).toHaveBeenCalledOnce()
  expect(held.at(-1)).toBe('onetwo')
  input.release()
  await settle()
  expect(sent).toEqual([{ input: 'one' }])
})

test('a line of a call that failed is held with its Enter', async () => {
  const { input, held } = startInput(() => Promise.reject(new Error('gone')))
  input.begin('line')
  input.release()
  input.type('dir\r', true)
  await settle()
  expect(held.at(-1)).toBe('dir\r')
})

test('dropped input, and input that an ended shell did not get, is never sent', () => {
  const { input, sent } = startInput()
  input.expect()
  input.type('held', false)
  input.dropHeld()
  input.begin('pty')
  input.type('unsent', true)
  input.end()
  input.release()
  expect(sent).toEqual([])
})
