import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Attachment } from '../../../../renderer/features/terminal/attachment.ts'
import { SharedSize } from '../../../../renderer/features/terminal/shared-size.ts'
import {
  deviceNotConnected,
  failure,
  serverNotReached,
  success,
  terminalNotOpen,
} from '../../../../shared/dtos/hub-result.ts'
import type { TerminalSessionResult } from '../../../../shared/dtos/terminal.ts'

const place = 'place'
const deviceId = 'device'
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
function startAttachment(shell?: string) {
  const seen: string[] = []
  const hub = {
    CreateTerminalSession2: vi.fn(() => Promise.resolve(opened)),
    SendTerminalInput2: vi.fn(() => Promise.resolve(opened)),
    CloseTerminalSession2: vi.fn(),
    GetPwshCompletions: vi.fn(),
  }
  const screen = { size: () => ({ columns: 80, rows: 24 }), follow: () => {} }
  const attachment = new Attachment({
    place,
    shell,
    hub,
    deviceId,
    size: new SharedSize({ screen, send: () => {}, onFollow: () => {} }),
    onState: (state) => seen.push(state.phase === 'ended' ? `ended by ${state.cause}` : state.phase),
    onOpening: () => {},
    onOpen: (_, kind, isAnother) => seen.push(isAnother ? `another ${kind}` : kind),
    onLost: () => {},
    onBack: () => seen.push('back'),
  })
  return { attachment, hub, seen }
}

test('a terminal waits for its device, opens, and is attached to again after the device was away', async () => {
  const { attachment, hub, seen } = startAttachment()
  attachment.setReachable(false)
  expect(hub.CreateTerminalSession2).not.toHaveBeenCalled()
  attachment.setReachable(true)
  await settle()
  attachment.setReachable(false)
  attachment.setReachable(true)
  await settle()
  expect(seen).toEqual(['connecting', 'open', 'pty', 'lost', 'connecting', 'open', 'pty'])
  const { terminalId } = attachment
  expect(hub.SendTerminalInput2).toHaveBeenCalledWith({
    deviceId,
    input: { terminalId, input: '', isRaw: true, isAttach: true, columns: 80, rows: 24 },
  })
})

test('the answer to an attempt that a newer one has replaced does not count', async () => {
  const { attachment, hub, seen } = startAttachment()
  const first = Promise.withResolvers<TerminalSessionResult>()
  hub.CreateTerminalSession2.mockReturnValueOnce(first.promise)
  attachment.setReachable(true)
  attachment.openAfresh()
  await settle()
  first.resolve(failure('too late'))
  await settle()
  expect(seen).toEqual(['connecting', 'connecting', 'open', 'pty'])
})

test('a device that the server does not see yet is tried again', async () => {
  const { attachment, hub, seen } = startAttachment()
  hub.CreateTerminalSession2.mockResolvedValueOnce(failure(deviceNotConnected))
  attachment.setReachable(true)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(seen).toEqual(['connecting', 'lost', 'connecting', 'open', 'pty'])
})

test('a shell is attached to again when the server of its device could not be reached at first', async () => {
  const { attachment, hub, seen } = startAttachment()
  attachment.setReachable(true)
  await settle()
  attachment.setReachable(false)
  hub.SendTerminalInput2.mockRejectedValueOnce(new Error(serverNotReached))
  attachment.setReachable(true)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(seen).toEqual(['connecting', 'open', 'pty', 'lost', 'connecting', 'lost', 'connecting', 'open', 'pty'])
})

test.each([
  { offered: ['/bin/sh', '/bin/zsh'], isReplaced: true },
  { offered: ['/bin/sh'], isReplaced: false },
])(
  'a requested program replaces the default one if the device has it: $isReplaced',
  async ({ offered, isReplaced }) => {
    const { attachment, hub } = startAttachment('/bin/zsh')
    hub.CreateTerminalSession2.mockResolvedValueOnce({ ...opened, shells: offered })
    attachment.setReachable(true)
    await settle()
    const { terminalId } = attachment
    const input = { terminalId, input: '', isRaw: true, shell: '/bin/zsh', columns: 80, rows: 24 }
    expect(hub.SendTerminalInput2.mock.calls).toEqual(isReplaced ? [[{ deviceId, input }]] : [])
  },
)

test('a rejected request ends the session as failed', async () => {
  const { attachment, hub, seen } = startAttachment()
  hub.CreateTerminalSession2.mockResolvedValueOnce(failure('no shell'))
  attachment.setReachable(true)
  await settle()
  expect(seen).toEqual(['connecting', 'ended by failure'])
})

test('while a call takes long, the terminal counts as lost', async () => {
  const { attachment, hub, seen } = startAttachment()
  attachment.setReachable(true)
  await settle()
  const slow = Promise.withResolvers<TerminalSessionResult>()
  hub.SendTerminalInput2.mockReturnValueOnce(slow.promise)
  const sending = attachment.send({ input: 'ls\r' })
  await vi.advanceTimersByTimeAsync(3_000)
  expect(seen.at(-1)).toBe('lost')
  slow.resolve(opened)
  await sending
  expect(seen.slice(-2)).toEqual(['open', 'back'])
})

test('a lost shell is replaced by a new one, which is labeled as new', async () => {
  const { attachment, hub, seen } = startAttachment()
  attachment.setReachable(true)
  await settle()
  hub.SendTerminalInput2.mockResolvedValueOnce(failure(terminalNotOpen))
  const error: unknown = await attachment.send({ input: 'ls\r' }).catch((thrown: unknown) => thrown)
  attachment.takeFailure(error)
  await settle()
  expect(seen.slice(-4)).toEqual(['lost', 'connecting', 'open', 'another pty'])
  expect(hub.CreateTerminalSession2).toHaveBeenCalledTimes(2)
})

test('an ended terminal stays ended when the device disconnects and returns', async () => {
  const { attachment, hub, seen } = startAttachment()
  attachment.setReachable(true)
  await settle()
  attachment.end()
  attachment.setReachable(false)
  attachment.setReachable(true)
  await settle()
  expect(seen).toEqual(['connecting', 'open', 'pty', 'ended by device'])
  expect(hub.CreateTerminalSession2).toHaveBeenCalledOnce()
})
