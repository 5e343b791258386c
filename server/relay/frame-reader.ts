import bufferutil from 'bufferutil'
import { closeCodes, FrameError, invalidFrame, maxControlBytes, opcodes, type ControlOpcode } from './frames.ts'

const finalBit = 0x80
const reservedBits = 0x70
const opcodeBits = 0x0f
const maskBit = 0x80
/** They tell how long the head is. */
const firstBytes = 2
const maskBytes = 4
const maxHeadBytes = firstBytes + 8 + maskBytes
/** Below it, the call of native code costs more than the loop. */
const minNativeBytes = 48
const nothing = Buffer.alloc(0)

export interface FrameEvents {
  /** The next piece of a message, unmasked in the chunk that was read. May be empty. */
  message(piece: Buffer, isLast: boolean): void
  /** A whole control frame. */
  control(opcode: ControlOpcode, payload: Buffer): void
}

/** Reads what a client sends, chunk by chunk, and keeps no payload but that of a control frame which is not whole. */
export class FrameReader {
  readonly #maxMessageBytes: number
  readonly #events: FrameEvents
  readonly #head = Buffer.alloc(maxHeadBytes)
  #headBytes = 0
  #wantedHeadBytes = firstBytes
  /** Turned, so that it begins with what the next byte is masked with. */
  readonly #mask = Buffer.alloc(maskBytes)
  #opcode = 0
  #isFinal = false
  /** Of the payload of this frame. */
  #missingBytes = 0
  /** Of all frames of this message, as far as their heads have come. */
  #messageBytes = 0
  #isInMessage = false
  /** Of a control frame, as far as it has come. */
  #control = nothing
  #isClosed = false

  constructor(maxMessageBytes: number, events: FrameEvents) {
    this.#maxMessageBytes = maxMessageBytes
    this.#events = events
  }

  /** Tells what has come, in order, until a close frame. The chunk is written over. Throws FrameError. */
  read(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length && !this.#isClosed) {
      at = this.#missingBytes > 0 ? this.#readPayload(chunk, at) : this.#readHead(chunk, at)
    }
  }

  #readHead(chunk: Buffer, start: number): number {
    let at = start
    const end = Math.min(start + this.#wantedHeadBytes - this.#headBytes, chunk.length)
    while (at < end) {
      this.#head[this.#headBytes++] = chunk[at++] as number
    }
    if (this.#headBytes < this.#wantedHeadBytes) {
      return at
    }
    if (this.#headBytes === firstBytes) {
      this.#wantedHeadBytes = this.#headBytesOf(this.#head[0] as number, this.#head[1] as number)
    } else {
      this.#begin()
    }
    return at
  }

  /** Checks the first two bytes of a frame. Returns the length of its head. */
  #headBytesOf(first: number, second: number): number {
    const opcode = first & opcodeBits
    const length = second & ~maskBit
    if ((first & reservedBits) !== 0) {
      throw invalidFrame('RSV bits must be clear')
    }
    if (opcode >= opcodes.close) {
      checkControl(opcode, (first & finalBit) !== 0, length)
    } else if (opcode > opcodes.binary || (opcode === opcodes.continuation) !== this.#isInMessage) {
      throw invalidFrame(`invalid opcode ${opcode}`)
    }
    if ((second & maskBit) === 0) {
      throw invalidFrame('MASK must be set')
    }
    return firstBytes + (length < 126 ? 0 : length === 126 ? 2 : 8) + maskBytes
  }

  /** The head is whole: what follows is payload. */
  #begin(): void {
    const head = this.#head
    const maskAt = this.#headBytes - maskBytes
    head.copy(this.#mask, 0, maskAt, this.#headBytes)
    this.#opcode = (head[0] as number) & opcodeBits
    this.#isFinal = ((head[0] as number) & finalBit) !== 0
    this.#missingBytes = lengthIn(head, maskAt)
    this.#headBytes = 0
    this.#wantedHeadBytes = firstBytes
    if (this.#opcode < opcodes.close) {
      this.#messageBytes = this.#missingBytes + (this.#isInMessage ? this.#messageBytes : 0)
      if (this.#messageBytes > this.#maxMessageBytes) {
        throw new FrameError('Max payload size exceeded', closeCodes.tooBig)
      }
      this.#isInMessage = !this.#isFinal
    }
    if (this.#missingBytes === 0) {
      this.#tell(nothing)
    }
  }

  #readPayload(chunk: Buffer, at: number): number {
    const end = Math.min(at + this.#missingBytes, chunk.length)
    const piece = chunk.subarray(at, end)
    unmask(piece, this.#mask)
    this.#missingBytes -= piece.length
    if (this.#missingBytes > 0) {
      turn(this.#mask, piece.length)
    }
    this.#tell(piece)
    return end
  }

  #tell(piece: Buffer): void {
    const isWhole = this.#missingBytes === 0
    if (this.#opcode < opcodes.close) {
      this.#events.message(piece, isWhole && this.#isFinal)
      return
    }
    // A copy, as the chunk does not stay.
    const payload = Buffer.concat([this.#control, piece])
    this.#control = isWhole ? nothing : payload
    if (isWhole) {
      this.#isClosed = this.#opcode === opcodes.close
      this.#events.control(this.#opcode as ControlOpcode, payload)
    }
  }
}

function checkControl(opcode: number, isFinal: boolean, length: number): void {
  if (opcode > opcodes.pong) {
    throw invalidFrame(`invalid opcode ${opcode}`)
  }
  if (!isFinal) {
    throw invalidFrame('FIN must be set')
  }
  if (length > maxControlBytes) {
    throw invalidFrame(`invalid payload length ${length}`)
  }
}

/** The length of the payload, which a head tells in 7, 16 or 64 bits before its mask. */
function lengthIn(head: Buffer, maskAt: number): number {
  if (maskAt === firstBytes) {
    return (head[1] as number) & ~maskBit
  }
  // Above 2^53 not exact, but too large all the same.
  return maskAt === firstBytes + 2 ? head.readUInt16BE(firstBytes) : Number(head.readBigUInt64BE(firstBytes))
}

function unmask(bytes: Buffer, mask: Buffer): void {
  if (bytes.length >= minNativeBytes) {
    bufferutil.unmask(bytes, mask)
    return
  }
  for (let index = 0; index < bytes.length; index++) {
    bytes[index] = (bytes[index] as number) ^ (mask[index % maskBytes] as number)
  }
}

/** Has the mask go on after so many bytes. */
function turn(mask: Buffer, bytes: number): void {
  const before = Buffer.from(mask)
  for (let index = 0; index < maskBytes; index++) {
    mask[index] = before[(index + bytes) % maskBytes] as number
  }
}
