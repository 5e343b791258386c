import { expect, test, vi } from 'vitest'
import { createInputQueue, type TerminalMessage } from '../../../../renderer/features/terminal/input-queue.ts'

const settle = () => new Promise((resolve) => setImmediate(resolve))

/** Queue whose calls end on request. */
function startQueue() {
  const sent: TerminalMessage[] = []
  const calls: PromiseWithResolvers<void>[] = []
  const onFailure = vi.fn()
  const queue = createInputQueue((message) => {
    sent.push(message)
    const call = Promise.withResolvers<void>()
    calls.push(call)
    return call.promise
  }, onFailure)
  const answer = async () => {
    calls.at(-1)!.resolve()
    await settle()
  }
  const refuse = async () => {
    calls.at(-1)!.reject(new Error('gone'))
    await settle()
  }
  return { queue, sent, answer, refuse, onFailure }
}

test('sends one call at a time and joins the input typed meanwhile', async () => {
  const { queue, sent, answer } = startQueue()
  queue.release()
  queue.type('l')
  queue.type('s')
  queue.type(' -l\r')
  expect(sent).toEqual([{ input: 'l' }])
  await answer()
  expect(sent).toEqual([{ input: 'l' }, { input: 's -l\r' }])
  await answer()
  expect(sent).toHaveLength(2)
})

test('holds all input until it is released', () => {
  const { queue, sent } = startQueue()
  queue.type('a')
  queue.resize({ columns: 80, rows: 24 })
  expect(sent).toEqual([])
  queue.release()
  expect(sent).toEqual([{ input: 'a', columns: 80, rows: 24 }])
})

test('sends only the last of several sizes', async () => {
  const { queue, sent, answer } = startQueue()
  queue.release()
  queue.type('a')
  queue.resize({ columns: 80, rows: 24 })
  queue.resize({ columns: 90, rows: 30 })
  await answer()
  expect(sent.slice(1)).toEqual([{ input: '', columns: 90, rows: 30 }])
})

test('sends each line in a call of its own', async () => {
  const { queue, sent, answer } = startQueue()
  queue.release()
  queue.line('one')
  queue.line('')
  queue.line('three')
  await answer()
  await answer()
  await answer()
  expect(sent).toEqual([{ input: 'one' }, { input: '' }, { input: 'three' }])
})

test('cuts long text into pieces, between characters, and loses nothing', async () => {
  const { queue, sent, answer } = startQueue()
  const text = `${'a'.repeat(4_095)}😀${'b'.repeat(5_000)}`
  queue.release()
  queue.type(text)
  await answer()
  await answer()
  await answer()
  expect(sent.map(({ input }) => input.length)).toEqual([4_095, 4_096, 906])
  expect(sent.map(({ input }) => input).join('')).toBe(text)
})

test('returns unsent input as it was typed', async () => {
  const { queue, sent, answer } = startQueue()
  queue.release()
  queue.type('a')
  queue.type('bc')
  queue.line('dir')
  expect(queue.takeBack()).toBe('bcdir\r')
  await answer()
  expect(sent).toEqual([{ input: 'a' }])
})

test('stops at a failure, stores later input, and does not repeat input that may have arrived', async () => {
  const { queue, sent, refuse, onFailure } = startQueue()
  queue.release()
  queue.type('rm x\r')
  queue.type('ls\r')
  await refuse()
  expect(onFailure).toHaveBeenCalledOnce()
  expect(sent).toEqual([{ input: 'rm x\r' }])
  queue.type('pwd\r')
  queue.release()
  await settle()
  expect(sent.slice(1)).toEqual([{ input: 'ls\rpwd\r' }])
})
