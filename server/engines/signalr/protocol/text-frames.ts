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

/** Finds the next record, without its separator; undefined while the record is incomplete. */
export function findRecord(input: ReceiveBuffer, maxBytes: number): Buffer | undefined {
  const length = input.indexOf(recordSeparatorByte)
  if ((length < 0 ? input.length : length + 1) > maxBytes) {
    throw new MessageTooLarge(maxBytes)
  }
  return length < 0 ? undefined : input.bytes.subarray(input.start, input.start + length)
}

/** Skips a found record with its separator. */
export const skipRecord = (input: ReceiveBuffer, record: Buffer): void =>
  input.skip(record.length + 1, { isCopied: true })

/** Decodes a record. Throws for invalid UTF-8. */
export function textOf(record: Buffer): string {
  const text = record.toString('utf8')
  // Decoding replaces invalid UTF-8 by a replacement character; only then are the bytes checked.
  if (text.includes('\uFFFD') && Buffer.from(text).compare(record) !== 0) {
    throw new InvalidDataException('Error reading JSON.')
  }
  return text
}

/** Takes the next record as text; undefined while the record is incomplete. */
export function readTextFrame(input: ReceiveBuffer, maxBytes: number): string | undefined {
  const record = findRecord(input, maxBytes)
  if (!record) {
    return undefined
  }
  const text = textOf(record)
  skipRecord(input, record)
  return text
}
