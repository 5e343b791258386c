import { expect, test } from 'vitest'
import { cursorOf } from '../../../../renderer/features/control/cursor.ts'

/** Signature, header and size of a PNG. */
const png = (width: number, height: number) => {
  const header = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(20)])
  header.writeUInt32BE(width, 16)
  header.writeUInt32BE(height, 20)
  return header.toString('base64')
}
const custom = { cursor: 9, customCursorBase64Png: png(32, 48), xHotspot: 3, yHotspot: 4 } as const

test('a shape has the cursor of its name, a picture its own with its hotspot', () => {
  expect(cursorOf(undefined)).toBe('default')
  expect(cursorOf({ ...custom, cursor: 2 })).toBe('text')
  expect(cursorOf(custom)).toBe(`url(data:image/png;base64,${png(32, 48)}) 3 4, auto`)
})

test.each([
  [{ customCursorBase64Png: 'AA) 0 0, url(//example.org/x' }],
  [{ customCursorBase64Png: null }],
  [{ customCursorBase64Png: 'A'.repeat(100_000) }],
  [{ customCursorBase64Png: png(60_000, 60_000) }],
  [{ customCursorBase64Png: Buffer.from(`BM${'\0'.repeat(61)}`).toString('base64') }],
  [{ xHotspot: -1 }],
  [{ yHotspot: 5_000 }],
])('a picture that is none stays the arrow: %o', (changes) => {
  expect(cursorOf({ ...custom, ...changes })).toBe('default')
})
