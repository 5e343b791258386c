import { InvalidDataException } from '../errors.ts'
import type { ReceiveBuffer } from './receive-buffer.ts'

/** Ends every JSON message and every handshake message. It can not occur inside: JSON escapes control characters. */
export const recordSeparator = '\x1e'
const recordSeparatorByte = 0x1e

export class MessageTooLarge extends InvalidDataException {
  constructor(maxBytes: number) {
    super(`The maximum message size of ${maxBytes}B was exceeded. The message size can be configured in AddHubOptions.`)
  }
}

/** Takes the next record, without its separator; undefined while it is incomplete. */
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
  // Decoding puts a replacement character for what is not UTF-8; only then the bytes are checked.
  if (text.includes('\uFFFD') && Buffer.from(text).compare(bytes, start, start + length) !== 0) {
    throw new InvalidDataException('Error reading JSON.')
  }
  input.skip(length + 1)
  return text
}
