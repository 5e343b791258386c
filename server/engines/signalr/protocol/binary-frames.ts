import { InvalidDataException } from '../errors.ts'
import type { ReceiveBuffer } from './receive-buffer.ts'
import { MessageTooLarge } from './text-frames.ts'

const maxPrefixBytes = 5

/**
 * Takes the body of the next length-prefixed message; undefined while the body is incomplete. The body is not a copy.
 */
export function readBinaryFrame(input: ReceiveBuffer, maxBytes: number): Uint8Array | undefined {
  const { bytes, start } = input
  const available = Math.min(input.length, maxPrefixBytes)
  let bodyBytes = 0
  for (let i = 0; i < available; i++) {
    const byte = bytes[start + i] as number
    if (i === maxPrefixBytes - 1 && byte > 7) {
      throw new InvalidDataException('Messages over 2GB in size are not supported.')
    }
    bodyBytes |= (byte & 0x7f) << (7 * i)
    if (byte & 0x80) {
      continue
    }

    const prefixBytes = i + 1
    // The announced size is enough to reject the message before its bytes arrive.
    if (prefixBytes + bodyBytes > maxBytes) {
      throw new MessageTooLarge(maxBytes)
    }
    if (input.length < prefixBytes + bodyBytes) {
      return undefined
    }
    // Not a Buffer: hub code expects a plain Uint8Array.
    const body = new Uint8Array(bytes.buffer, bytes.byteOffset + start + prefixBytes, bodyBytes)
    input.skip(prefixBytes + bodyBytes)
    return body
  }
  if (input.length > maxBytes) {
    throw new MessageTooLarge(maxBytes)
  }
  return undefined
}

/** Prefixes `body` with its length. */
export function writeBinaryFrame(body: Uint8Array): Uint8Array {
  const prefix: number[] = []
  let rest = body.length
  do {
    prefix.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest)
    rest >>>= 7
  } while (rest > 0)
  const frame = Buffer.allocUnsafe(prefix.length + body.length)
  frame.set(prefix)
  frame.set(body, prefix.length)
  return frame
}
