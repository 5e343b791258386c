/*
 * Frames by hand, independent of server/engines/flow/websocket/frames.ts, so that an error there does not cancel out in tests.
 */

/** Frame as sent by a client. */
export interface ClientFrame {
  opcode: number
  payload?: Uint8Array
  isFinal?: boolean
  mask?: Uint8Array
}

export interface ServerFrame {
  opcode: number
  isFinal: boolean
  payload: Buffer
}

/** Header of two, four or ten bytes. */
function headOf(first: number, maskBit: number, length: number): Buffer {
  if (length < 126) {
    return Buffer.from([first, maskBit | length])
  }
  const head = Buffer.alloc(length < 65_536 ? 4 : 10)
  head[0] = first
  head[1] = maskBit | (length < 65_536 ? 126 : 127)
  if (length < 65_536) {
    head.writeUInt16BE(length, 2)
  } else {
    head.writeBigUInt64BE(BigInt(length), 2)
  }
  return head
}

/** Builds a masked frame by hand, so that tests can cut and corrupt it. */
export function clientFrame({
  opcode,
  payload = new Uint8Array(),
  isFinal = true,
  mask = Buffer.from([0x12, 0x34, 0x56, 0x78]),
}: ClientFrame): Buffer {
  const masked = Buffer.from(payload)
  // A loop: `map` takes seconds for frames of many MiB.
  for (let index = 0; index < masked.length; index++) {
    masked[index]! ^= mask[index % 4]!
  }
  return Buffer.concat([headOf((isFinal ? 0x80 : 0) | opcode, 0x80, payload.length), mask, masked])
}

/** Parses whole frames of a server. Throws for an overlong header, or a mask. */
export function serverFrames(bytes: Buffer): ServerFrame[] {
  const frames: ServerFrame[] = []
  for (let at = 0; at < bytes.length;) {
    const [first, second] = [bytes[at] as number, bytes[at + 1] as number]
    const length =
      second < 126 ? second : second === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
    const head = headOf(first, 0, length)
    if (!bytes.subarray(at, at + head.length).equals(head) || bytes.length < at + head.length + length) {
      throw new Error(`No frame of a server at ${at}.`)
    }
    at += head.length
    frames.push({ opcode: first & 0x0f, isFinal: first >= 0x80, payload: bytes.subarray(at, at + length) })
    at += length
  }
  return frames
}
