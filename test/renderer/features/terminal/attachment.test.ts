import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Attachment } from '../../../../renderer/features/terminal/attachment.ts'
import { SharedSize } from '../../../../renderer/features/terminal/shared-size.ts'
import { deviceNotConnected, failure, success, terminalNotOpen } from '../../../../shared/dtos/hub-result.ts'
import type { TerminalSessionResult } from '../../../../shared/dtos/terminal.ts'

const place = 'place'
const opened: TerminalSessionResult = { ...success, isPty: true, shell: '/bin/sh' }
const settle = () => vi.advanceTimersByTimeAsync(0)

beforeEach(() => {
  vi.useFakeTimers()
  const kept = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Attachment to a scripted terminal; `seen` has its phases and reports. */
function startAttachment() {
  const seen: string[] = []
  const calls = {
    create: vi.fn(() => Promise.resolve(opened)),
    attach: vi.fn(() => Promise.resolve(opened)),
    send: vi.fn(() => Promise.resolve(opened)),
    complete: vi.fn(),
    close: vi.fn(),
  }
  const screen = { size: () => ({ columns: 80, rows: 24 }), follow: () => {} }
  const attachment = new Attachment({
    place,
    shell: undefined,
    calls,
    size: new SharedSize({ screen, send: () => {}, onFollow: () => {} }),
    onState: (state) => seen.push(state.phase === 'ended' ? `ended by ${state.cause}` : state.phase),
    onOpening: () => {},
    onOpen: (_, kind, isAnother) => seen.push(isAnother ? `another ${kind}` : kind),
    onLost: () => {},
    onBack: () => seen.push('back'),
  })
  return { attachment, calls, seen }
}

test('a terminal waits for its device, opens, and is attached to again after the device was away', async () => {
  const { attachment, calls, seen } = startAttachment()
  attachment.setReachable(false)
  expect(calls.create).not.toHaveBeenCalled()
  attachment.setReachable(true)
  await settle()
  attachment.setReachable(false)
  attachment.setReachable(true)
  await settle()
  expect(seen).toEqual(['connecting', 'open', 'pty', 'lost', 'connecting', 'open', 'pty'])
  expect(calls.attach).toHaveBeenCalledWith(attachment.terminalId, { columns: 80, rows: 24 })
})

test('the answer to an attempt that a newer one has replaced does not count', async () => {
  const { attachment, calls, seen } = startAttachment()
  const first = Promise.withResolvers<TerminalSessionResult>()
  calls.create.mockReturnValueOnce(first.promise)
  attachment.setReachable(true)
  attachment.openAfresh()
  await settle()
  first.resolve(failure('too late'))
  await settle()
  expect(seen).toEqual(['connecting', 'connecting', 'open', 'pty'])
})

test('a device that the server does not see yet is tried again', async () => {
  const { attachment, calls, seen } = startAttachment()
  calls.create.mockResolvedValueOnce(failure(deviceNotConnected))
  attachment.setReachable(true)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(seen).toEqual(['connecting', 'lost', 'connecting', 'open', 'pty'])
})

test('a rejected request ends the session as failed', async () => {
  const { attachment, calls, seen } = startAttachment()
  calls.create.mockResolvedValueOnce(failure('no shell'))
  attachment.setReachable(true)
  await settle()
  expect(seen).toEqual(['connecting', 'ended by failure'])
})

test('while a call takes long, the terminal counts as lost', async () => {
  const { attachment, calls, seen } = startAttachment()
  attachment.setReachable(true)
  await settle()
  const slow = Promise.withResolvers<TerminalSessionResult>()
  calls.send.mockReturnValueOnce(slow.promise)
  const sending = attachment.send({ input: 'ls\r' })
  await vi.advanceTimersByTimeAsync(3_000)
  expect(seen.at(-1)).toBe('lost')
  slow.resolve(opened)
  await sending
  expect(seen.slice(-2)).toEqual(['open', 'back'])
})

test('a lost shell is replaced by a new one, which is labeled as new', async () => {
  const { attachment, calls, seen } = startAttachment()
  attachment.setReachable(true)
  await settle()
  calls.send.mockResolvedValueOnce(failure(terminalNotOpen))
  const error: unknown = await attachment.send({ input: 'ls\r' }).catch((thrown: unknown) => thrown)
  attachment.takeFailure(error)
  await settle()
  expect(seen.slice(-4)).toEqual(['lost', 'connecting', 'open', 'another pty'])
  expect(calls.create).toHaveBeenCalledTimes(2)
})

test('an ended terminal stays ended when the device disconnects and returns', async () => {
  const { attachment, calls, seen } = startAttachment()
  attachment.setReachable(true)
  await settle()
  attachment.end()
  attachment.setReachable(false)
  attachment.setReachable(true)
  await settle()
  expect(seen).toEqual(['connecting', 'open', 'pty', 'ended by device'])
  expect(calls.create).toHaveBeenCalledOnce()
})
