import { expect, test } from 'vitest'
import { ClipboardScope } from '../../../../renderer/features/viewer-kit/clipboard-scope.ts'
import { SessionClipboard, type ClipboardOptions } from '../../../../renderer/features/viewer-kit/session-clipboard.ts'

/** Clipboard of this machine with focused sessions of two devices. */
function twoSessions(changes: Partial<ClipboardOptions> = {}) {
  let content = ''
  let last: { deviceId: string; text: string } | undefined
  const origin = {
    deviceOf: async (text: string) => (last?.text === text ? last.deviceId : undefined),
    cameFrom: async (deviceId: string, text: string) => void (last = { deviceId, text }),
  }
  const browser = {
    readText: async () => content,
    writeText: async (text: string) => void (content = text),
  }
  const session = (deviceId: string) => {
    const sent: string[] = []
    const notes: string[] = []
    const clipboard = new SessionClipboard(
      new ClipboardScope(deviceId, origin),
      {
        isShared: true,
        canRead: true,
        canWrite: true,
        canSend: () => true,
        maxLength: 1_000,
        limit: '1,000 characters',
        send: (text) => sent.push(text),
        onNote: (note) => notes.push(note),
        ...changes,
      },
      () => browser,
      async () => true,
    )
    return { clipboard, sent, notes }
  }
  /** Focuses a session and waits until its clipboard was shared. */
  const focus = async ({ clipboard }: { clipboard: SessionClipboard }) => {
    clipboard.setFocused(true)
    await new Promise(setImmediate)
  }
  return { browser, focus, first: session('a'), second: session('b') }
}

test('text copied on one device does not reach another by itself (T18)', async () => {
  const { browser, focus, first, second } = twoSessions()
  await focus(first)
  await first.clipboard.receive('a password of the first')
  expect(await browser.readText()).toBe('a password of the first')
  await focus(second)
  await focus(first)
  expect([first.sent, second.sent]).toEqual([[], []])
  expect(second.notes).toEqual(['The text on your clipboard is from another device and was not sent here.'])
  await browser.writeText('copied here')
  await focus(second)
  await focus(first)
  expect([first.sent, second.sent]).toEqual([['copied here'], ['copied here']])
})

test('a text from another device is sent when the person asks for it', async () => {
  const { focus, first, second } = twoSessions()
  await focus(first)
  await first.clipboard.receive('meant for both')
  await second.clipboard.sendNow()
  expect(second.sent).toEqual(['meant for both'])
})

test('an empty, a known and a long text are not sent', async () => {
  const { browser, focus, first } = twoSessions()
  await focus(first)
  await browser.writeText('x'.repeat(1_001))
  await focus(first)
  await browser.writeText('once')
  await focus(first)
  await focus(first)
  expect(first.sent).toEqual(['once'])
})

test('a session without focus leaves the clipboard of this machine alone', async () => {
  const { browser, first } = twoSessions()
  await browser.writeText('mine')
  await first.clipboard.receive('theirs')
  first.clipboard.setFocused(false)
  await first.clipboard.receive('theirs too')
  expect([await browser.readText(), first.sent]).toEqual(['mine', []])
})

test('without the rights nothing is received or sent', async () => {
  const { browser, focus, first } = twoSessions({ canRead: false, canWrite: false })
  await browser.writeText('mine')
  await focus(first)
  await first.clipboard.receive('theirs')
  await first.clipboard.sendNow()
  expect([await browser.readText(), first.sent]).toEqual(['mine', []])
})
