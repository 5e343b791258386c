import { expect, test } from 'vitest'
import { cursorOf } from '../../../../../renderer/pages/device/control/cursor.ts'

const custom = { cursor: 9, customCursorBase64Png: 'iVBORw0KGgo=', xHotspot: 3, yHotspot: 4 } as const

test('a shape has the cursor of its name, a picture its own with its hotspot', () => {
  expect(cursorOf(undefined)).toBe('default')
  expect(cursorOf({ ...custom, cursor: 2 })).toBe('text')
  expect(cursorOf(custom)).toBe('url(data:image/png;base64,iVBORw0KGgo=) 3 4, auto')
})

test.each([
  [{ customCursorBase64Png: 'AA) 0 0, url(//example.org/x' }],
  [{ customCursorBase64Png: null }],
  [{ customCursorBase64Png: 'A'.repeat(100_000) }],
  [{ xHotspot: -1 }],
  [{ yHotspot: 5_000 }],
])('a picture that is none stays the arrow: %o', (changes) => {
  expect(cursorOf({ ...custom, ...changes })).toBe('default')
})
