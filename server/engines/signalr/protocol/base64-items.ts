import type { StreamItem } from './messages.ts'

/** Shorter messages are parsed like any other. */
const minRecordBytes = 1024
const maxIdBytes = 64
const head = Buffer.from('{"type":2,"invocationId":"')
const middle = Buffer.from('","item":"')
const tail = Buffer.from('"}')
const quoteByte = 0x22
const plainId = /^[\w-]+$/

/** The bytes of a long base64 string in a stream item. */
export class Base64Text {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  get text(): string {
    return this.bytes.toString('base64')
  }
}

/**
 * Decodes standard base64; undefined for any other text. `Buffer` skips foreign characters, which shortens the result,
 * and accepts `-` and `_`.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const bytes = Buffer.from(text, 'base64')
  const isStandard =
    text.length % 4 === 0 &&
    bytes.length === (text.length / 4) * 3 - padding &&
    bytes.toString('base64', bytes.length - (bytes.length % 3 || 3)) === text.slice(-4) &&
    !text.includes('-') &&
    !text.includes('_')
  return isStandard ? bytes : undefined
}

const holds = (record: Buffer, bytes: Buffer, at: number) =>
  record.compare(bytes, 0, bytes.length, at, Math.min(at + bytes.length, record.length)) === 0

/**
 * Reads a stream item of file bytes: `{"type":2,"invocationId":"1","item":"AAAA…"}`. The JSON parser takes three times as
 * long for the string as decoding it. Undefined for any other message, including the same message in another spelling.
 */
export function readBase64Item(record: Buffer): StreamItem | undefined {
  if (record.length < minRecordBytes || !holds(record, head, 0) || !holds(record, tail, record.length - tail.length)) {
    return undefined
  }
  const idEnd = record.subarray(0, head.length + maxIdBytes).indexOf(quoteByte, head.length)
  const invocationId = record.toString('latin1', head.length, Math.max(head.length, idEnd))
  if (!plainId.test(invocationId) || !holds(record, middle, idEnd)) {
    return undefined
  }
  const bytes = decodeBase64(record.toString('latin1', idEnd + middle.length, record.length - tail.length))
  return bytes && { type: 2, invocationId, item: new Base64Text(bytes) }
}
