/** WebSocket frames (RFC 6455): a head of first byte, length of 7, 16 or 64 bits, and the mask of clients. */

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

export const finalBit = 0x80
export const reservedBits = 0x70
export const opcodeBits = 0x0f
export const maskBit = 0x80
export const maskBytes = 4
export const maxControlBytes = 125
/** Maximum size of a head without its mask. */
export const maxHeadBytes = 10

/** Size of a client's head, from its second byte. */
export function headBytesOf(second: number): number {
  const short = second & ~maskBit
  return 2 + (short < 126 ? 0 : short === 126 ? 2 : 8) + maskBytes
}

/** Payload length from the head at `at`. Inexact above 2^53, which is too large anyway. */
export function payloadBytesIn(bytes: Buffer, at: number): number {
  const short = (bytes[at + 1] as number) & ~maskBit
  if (short < 126) {
    return short
  }
  return short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
}

/** Writes a head without mask bytes in its shortest encoding; returns its end. */
export function writeHead(to: Buffer, at: number, first: number, length: number, mask: 0 | typeof maskBit = 0): number {
  to[at] = first
  if (length < 126) {
    to[at + 1] = mask | length
    return at + 2
  }
  if (length < 65_536) {
    to[at + 1] = mask | 126
    return to.writeUInt16BE(length, at + 2)
  }
  to[at + 1] = mask | 127
  return to.writeUIntBE(length, to.writeUInt16BE(0, at + 2), 6)
}

export type ControlOpcode = typeof opcodes.close | typeof opcodes.ping | typeof opcodes.pong

export const closeCodes = { normal: 1000, protocolError: 1002, tooBig: 1009 } as const

/** True for codes allowed in a close frame; the others are reserved for local use. */
export const isCloseCode = (code: number): boolean =>
  (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999)

/** The peer violated the protocol or a limit; `code` is the close code of its connection. */
export class FrameError extends Error {
  readonly code: number

  constructor(message: string, code: number = closeCodes.protocolError) {
    super(message)
    this.code = code
  }
}

export const invalidFrame = (what: string): FrameError => new FrameError(`Invalid WebSocket frame: ${what}`)
