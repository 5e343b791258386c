import { InvalidDataException } from '../errors.ts'
import type { ReceiveBuffer } from './receive-buffer.ts'

/**
 * Ends every JSON message and every handshake message. JSON escapes control characters, so the separator cannot occur
 * inside.
 */
export const recordSeparator = '\x1e'
const recordSeparatorByte = 0x1e

export class MessageTooLarge extends InvalidDataException {
  constructor(maxBytes: number) {
    super(`The maximum message size of ${maxBytes}B was exceeded. The message size can be configured in AddHubOptions.`)
  }
}

/** Takes the next record, without its separator; undefined while the record is incomplete. */
export function readTextFrame(input: ReceiveBuffer, maxBytes: number): string | undefined {
  const length = input.indexOf(recordSeparatorByte)
  if ((length < 0 ? input.length : length + 1) > maxBytes) {
    throw new MessageTooLarge(maxBytes)
  }
  if (length < 0) {
    return undefined
  }
  const { bytes, start } = input
  const text = bytes.toString('utf8', start, start + length)
  // Decoding replaces invalid UTF-8 by a replacement character; only then are the bytes checked.
  if (text.includes('\uFFFD') && Buffer.from(text).compare(bytes, start, start + length) !== 0) {
    throw new InvalidDataException('Error reading JSON.')
  }
  input.skip(length + 1)
  return text
}
