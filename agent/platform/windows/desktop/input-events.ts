/** Encodes `INPUT`, the structure of SendInput, for 64 bits. */

export const inputBytes = 40

const keyboardInput = 1
const keyUp = 0x2
const extendedKey = 0x1
const unicodeKey = 0x4

export function mouseEvent(flags: number, { x = 0, y = 0, data = 0 } = {}): Buffer {
  const event = Buffer.alloc(inputBytes)
  event.writeInt32LE(x, 8)
  event.writeInt32LE(y, 12)
  event.writeInt32LE(data, 16)
  event.writeUInt32LE(flags, 20)
  return event
}

function keyboardEvent(virtualKey: number, scanCode: number, flags: number): Buffer {
  const event = Buffer.alloc(inputBytes)
  event.writeUInt32LE(keyboardInput, 0)
  event.writeUInt16LE(virtualKey, 8)
  event.writeUInt16LE(scanCode, 10)
  event.writeUInt32LE(flags, 12)
  return event
}

/** `scanCode` has 0xe000 for extended keys. */
export const keyEvent = (virtualKey: number, scanCode: number, isPressed: boolean): Buffer =>
  keyboardEvent(virtualKey, scanCode & 0xff, (scanCode > 0xff ? extendedKey : 0) | (isPressed ? 0 : keyUp))

/** Types text in any script, whatever the layout; characters beyond the first plane are two units. */
export const textEvents = (text: string): Buffer[] =>
  Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)).flatMap((unit) => [
    keyboardEvent(0, unit, unicodeKey),
    keyboardEvent(0, unit, unicodeKey | keyUp),
  ])

/** Position for MOUSEEVENTF_ABSOLUTE that Windows maps back to exactly this pixel of `length` pixels from `start`. */
export const absolutePosition = (pixel: number, start: number, length: number): number =>
  Math.ceil(((Math.round(pixel) - start) * 65_536) / Math.max(1, length))
