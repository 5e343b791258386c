import { expect, test, vi } from 'vitest'
import { TypedInput } from '../../../../renderer/features/terminal/typed-input.ts'
import type { TerminalMessage } from '../../../../renderer/features/terminal/session-types.ts'

const settle = () => new Promise((resolve) => setImmediate(resolve))

function startInput(send: (message: TerminalMessage) => Promise<void> = () => Promise.resolve()) {
  const sent: TerminalMessage[] = []
  const pending: string[] = []
  const onUnsent = vi.fn()
  const input: TypedInput = new TypedInput({
    write: () => {},
    send(message) {
      sent.push(message)
      return send(message)
    },
    onUnsent,
    onPending: (text) => pending.push(text),
    onKeys: () => {},
    complete: () => Promise.reject(new Error('nothing to complete')),
    onCompletions: () => {},
  })
  return { input, sent, pending, onUnsent }
}

test('keystrokes go to a shell that answers as they are', () => {
  const { input, sent, pending } = startInput()
  input.begin('pty')
  input.release()
  input.type('\x1b[A', true)
  expect(sent).toEqual([{ input: '\x1b[A' }])
  expect(pending).toEqual([])
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
  const { input, sent, pending } = startInput()
  input.expect()
  input.type('rm', false)
  input.begin('pty')
  input.release()
  input.type(' x\r', true)
  expect(sent).toEqual([])
  expect(pending.at(-1)).toBe('rm x\r')
  input.sendPending()
  expect(sent).toEqual([{ input: 'rm x\r' }])
  expect(pending.at(-1)).toBe('')
})

test('input of a failed call, and the input queued behind it, is stored', async () => {
  const { input, sent, pending, onUnsent } = startInput(() => Promise.reject(new Error('gone')))
  onUnsent.mockImplementation(() => input.lose())
  input.begin('pty')
  input.release()
  input.type('one', true)
  input.type('two', true)
  await settle()
  expect(onUnsent).toHaveBeenCalledOnce()
  expect(pending.at(-1)).toBe('onetwo')
  input.release()
  await settle()
  expect(sent).toEqual([{ input: 'one' }])
})

test('a line of a call that failed waits with its Enter', async () => {
  const { input, pending } = startInput(() => Promise.reject(new Error('gone')))
  input.begin('line')
  input.release()
  input.type('dir\r', true)
  await settle()
  expect(pending.at(-1)).toBe('dir\r')
})

test('dropped input, and input that an ended shell did not get, is never sent', () => {
  const { input, sent } = startInput()
  input.expect()
  input.type('held', false)
  input.dropPending()
  input.begin('pty')
  input.type('unsent', true)
  input.end()
  input.release()
  expect(sent).toEqual([])
})

/** Input whose calls end on request, for a shell of a kind. */
function startQueue(kind: 'pty' | 'line' = 'pty') {
  const calls: PromiseWithResolvers<void>[] = []
  const started = startInput(() => {
    const call = Promise.withResolvers<void>()
    calls.push(call)
    return call.promise
  })
  started.input.begin(kind)
  const answer = async () => {
    calls.at(-1)!.resolve()
    await settle()
  }
  const refuse = async () => {
    calls.at(-1)!.reject(new Error('gone'))
    await settle()
  }
  return { ...started, answer, refuse }
}

test('one call at a time is sent, and input typed meanwhile is joined', async () => {
  const { input, sent, answer } = startQueue()
  input.release()
  input.type('l', true)
  input.type('s', true)
  input.type(' -l\r', true)
  expect(sent).toEqual([{ input: 'l' }])
  await answer()
  expect(sent).toEqual([{ input: 'l' }, { input: 's -l\r' }])
  await answer()
  expect(sent).toHaveLength(2)
})

test('input before the release waits, with the size', () => {
  const { input, sent } = startQueue()
  input.type('a', true)
  input.resize({ columns: 80, rows: 24 })
  expect(sent).toEqual([])
  input.release()
  expect(sent).toEqual([{ input: 'a', columns: 80, rows: 24 }])
})

test('of several sizes the last is sent', async () => {
  const { input, sent, answer } = startQueue()
  input.release()
  input.type('a', true)
  input.resize({ columns: 80, rows: 24 })
  input.resize({ columns: 90, rows: 30 })
  await answer()
  expect(sent.slice(1)).toEqual([{ input: '', columns: 90, rows: 30 }])
})

test('each line is sent in a call of its own', async () => {
  const { input, sent, answer } = startQueue('line')
  input.release()
  input.type('one\r\rthree\r', true)
  await answer()
  await answer()
  await answer()
  expect(sent).toEqual([{ input: 'one' }, { input: '' }, { input: 'three' }])
})

test('long text is cut into pieces, between characters, and nothing is lost', async () => {
  const { input, sent, answer } = startQueue()
  const text = `${'a'.repeat(4_095)}😀${'b'.repeat(5_000)}`
  input.release()
  input.type(text, true)
  await answer()
  await answer()
  await answer()
  expect(sent.map((message) => message.input.length)).toEqual([4_095, 4_096, 906])
  expect(sent.map((message) => message.input).join('')).toBe(text)
})

test('a lost shell leaves unsent lines as they were typed', async () => {
  const { input, sent, pending, answer } = startQueue('line')
  input.release()
  input.type('one\rtwo\rthree\r', true)
  input.lose()
  expect(pending.at(-1)).toBe('two\rthree\r')
  await answer()
  expect(sent).toEqual([{ input: 'one' }])
})

test('input behind a failed call is sent after the release, and the failed input waits', async () => {
  const { input, sent, pending, refuse, onUnsent } = startQueue()
  input.release()
  input.type('rm x\r', true)
  input.type('ls\r', true)
  await refuse()
  expect(onUnsent).toHaveBeenCalledOnce()
  expect(pending.at(-1)).toBe('rm x\r')
  input.release()
  await settle()
  expect(sent).toEqual([{ input: 'rm x\r' }, { input: 'ls\r' }])
})
