import { expect, test } from 'vitest'
import { ClipboardScope } from '../../../../renderer/features/viewer-kit/clipboard-scope.ts'
import { mostClipboard, takeText, textToGive } from '../../../../renderer/features/vnc/clipboard-exchange.ts'

/** The clipboard of this machine, and the windows of two devices beside it. */
function twoDevices() {
  let held = ''
  let last: { deviceId: string; text: string } | undefined
  const origin = {
    deviceOf: async (text: string) => (last?.text === text ? last.deviceId : undefined),
    cameFrom: async (deviceId: string, text: string) => void (last = { deviceId, text }),
  }
  const clipboard = {
    readText: async () => held,
    writeText: async (text: string) => void (held = text),
  }
  return { clipboard, first: new ClipboardScope('a', origin), second: new ClipboardScope('b', origin) }
}

test('what was copied on one device does not go to another by itself (T18)', async () => {
  const { clipboard, first, second } = twoDevices()
  await takeText(first, clipboard, 'a password of the first')
  expect(await clipboard.readText()).toBe('a password of the first')
  expect(await textToGive(second, clipboard)).toBeUndefined()
  expect(await textToGive(first, clipboard)).toBeUndefined()
  await clipboard.writeText('copied here')
  expect([await textToGive(second, clipboard), await textToGive(first, clipboard)]).toEqual([
    'copied here',
    'copied here',
  ])
})

test('what is not there, is too long or was given already does not go anywhere', async () => {
  const { clipboard, first } = twoDevices()
  expect(await textToGive(first, clipboard)).toBeUndefined()
  await clipboard.writeText('x'.repeat(mostClipboard + 1))
  expect(await textToGive(first, clipboard)).toBeUndefined()
  await clipboard.writeText('once')
  expect([await textToGive(first, clipboard), await textToGive(first, clipboard)]).toEqual(['once', undefined])
})
