import { expect, test } from 'vitest'
import { absolutePosition, keyEvent, textEvents } from '../../../agent/platform/windows/desktop/input-events.ts'
import { keyAt } from '../../../agent/platform/windows/desktop/keys.ts'

test.each([
  [0, 1366],
  [-1920, 5760],
  [-640, 1440],
])('each pixel of displays that begin at %i and are %i wide is reached exactly', (start, length) => {
  // As Windows maps positions of the whole desktop back to pixels.
  const pixelOf = (position: number) => Math.floor((position * length) / 65_536) + start
  const pixels = Array.from({ length }, (_, at) => start + at)
  expect(pixels.filter((pixel) => pixelOf(absolutePosition(pixel, start, length)) !== pixel)).toEqual([])
})

test('keys have the scan codes of their position, and those without a position are found by name', () => {
  expect(['KeyA', 'KeyM', 'Backslash', 'F10', 'F13', 'Digit0'].map((code) => keyAt(code, '')?.scanCode)).toEqual([
    0x1e, 0x32, 0x2b, 0x44, 0x64, 0x0b,
  ])
  expect(keyAt('', 'Control')).toEqual(keyAt('ControlLeft', 'Control'))
  expect(keyAt('', 'ArrowUp')).toEqual({ scanCode: 0xe048, virtualKey: 0x26 })
  expect(keyAt('Unknown', 'unknown')).toBeUndefined()
})

test('extended keys are marked as such, and each unit of a text is pressed and released', () => {
  const read = (event: Buffer) => [event.readUInt16LE(8), event.readUInt16LE(10), event.readUInt32LE(12)]
  expect(read(keyEvent(0x26, 0xe048, false))).toEqual([0x26, 0x48, 0b11])
  expect(textEvents('😀').map(read)).toEqual([
    [0, 0xd83d, 0b100],
    [0, 0xd83d, 0b110],
    [0, 0xde00, 0b100],
    [0, 0xde00, 0b110],
  ])
})
