import { expect, test } from 'vitest'
import { maxClipboardBytes } from '../../../../shared/remote-control/clipboard.ts'
import { ClipboardScope, type ClipboardOrigin } from '../../../../renderer/features/viewer-kit/clipboard-scope.ts'

function sharedOrigin(): ClipboardOrigin {
  let last: { deviceId: string; text: string } | undefined
  return {
    deviceOf: async (text) => (last?.text === text ? last.deviceId : undefined),
    cameFrom: async (deviceId, text) => void (last = { deviceId, text }),
  }
}

test('a text is sent once each way, and is not returned as a new text', async () => {
  const scope = new ClipboardScope('a', sharedOrigin())
  expect(await scope.outgoing('mine')).toBe('share')
  expect(await scope.outgoing('mine')).toBe('same')
  expect(await scope.incoming('mine')).toBe('same')
  expect(await scope.incoming('theirs')).toBe('share')
  expect(await scope.outgoing('theirs')).toBe('same')
  expect(await scope.outgoing('')).toBe('same')
  expect(await scope.incoming('x'.repeat(maxClipboardBytes + 1))).toBe('too-long')
})

test('a text from one device is sent to another only on request', async () => {
  const origin = sharedOrigin()
  const [first, second] = [new ClipboardScope('a', origin), new ClipboardScope('b', origin)]
  await first.incoming('secret')
  expect(await second.outgoing('secret')).toBe('foreign')
  expect(await second.outgoing('secret', true)).toBe('share')
  expect(await second.outgoing('something else')).toBe('share')
})

test('after a new connection the same text is sent again', async () => {
  const scope = new ClipboardScope('a', sharedOrigin())
  await scope.outgoing('mine')
  scope.forget()
  expect(await scope.outgoing('mine')).toBe('share')
})
