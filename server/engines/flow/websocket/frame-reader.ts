import bufferutil from 'bufferutil'
import {
  closeCodes,
  finalBit,
  FrameError,
  headBytesOf,
  invalidFrame,
  isCloseCode,
  maskBit,
  maskBytes,
  maxControlBytes,
  maxHeadBytes,
  opcodeBits,
  opcodes,
  payloadBytesIn,
  reservedBits,
  type ControlOpcode,
} from './frames.ts'

/** The first two bytes, which determine the length of the head. */
const firstBytes = 2
/** For shorter payloads, the call of native code costs more than the loop. */
const minNativeBytes = 48
const nothing = Buffer.alloc(0)

export interface FrameEvents {
  /** Called with the next piece of a message, unmasked in place in the chunk. May be empty. */
  message(piece: Buffer, isLast: boolean): void
  /** Called with a whole control frame. */
  control(opcode: ControlOpcode, payload: Buffer): void
}

/** Parses the frames of a client, chunk by chunk. Buffers no payload except that of an incomplete control frame. */
export class FrameReader {
  readonly #maxMessageBytes: number
  readonly #events: FrameEvents
  // With the mask behind it: each memory of its own takes 100 bytes for each of thousands of connections.
  readonly #head = Buffer.alloc(maxHeadBytes + 2 * maskBytes)
  #headBytes = 0
  #wantedHeadBytes = firstBytes
  /** Rotated to start at the mask byte of the next payload byte. */
  readonly #mask = this.#head.subarray(maxHeadBytes + maskBytes)
  #opcode = 0
  #isFinal = false
  /** Missing payload bytes of the current frame. */
  #missingBytes = 0
  /** Payload bytes of all frames of the current message, according to the heads received so far. */
  #messageBytes = 0
  #isInMessage = false
  /** Received payload of an incomplete control frame. */
  #control = nothing
  #isClosed = false
  /** Frames begun in the current call of `read`. */
  #frames = 0

  constructor(maxMessageBytes: number, events: FrameEvents) {
    this.#maxMessageBytes = maxMessageBytes
    this.#events = events
  }

  /**
   * Emits the events of a chunk in order, until a close frame, of at most `maxFrames` frames. Returns the number of read
   * bytes, which are overwritten. Throws FrameError.
   */
  read(chunk: Buffer, maxFrames = Infinity): number {
    let at = 0
    this.#frames = 0
    while (at < chunk.length && !this.#isClosed) {
      if (this.#frames >= maxFrames && this.#missingBytes === 0) {
        return at
      }
      at = this.#missingBytes > 0 ? this.#readPayload(chunk, at) : this.#readHead(chunk, at)
    }
    return chunk.length
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
      this.#wantedHeadBytes = this.#checkedHeadBytes(this.#head[0] as number, this.#head[1] as number)
    } else {
      this.#begin()
    }
    return at
  }

  /** Checks the first two bytes of a frame. Returns the length of its head. */
  #checkedHeadBytes(first: number, second: number): number {
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
    return headBytesOf(second)
  }

  /** Starts the payload after a complete head. */
  #begin(): void {
    this.#frames++
    const head = this.#head
    const maskAt = this.#headBytes - maskBytes
    head.copy(this.#mask, 0, maskAt, this.#headBytes)
    this.#opcode = (head[0] as number) & opcodeBits
    this.#isFinal = ((head[0] as number) & finalBit) !== 0
    this.#missingBytes = payloadBytesIn(head, 0)
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
      this.#emit(nothing)
    }
  }

  #readPayload(chunk: Buffer, at: number): number {
    const end = Math.min(at + this.#missingBytes, chunk.length)
    const piece = chunk.subarray(at, end)
    unmask(piece, this.#mask)
    this.#missingBytes -= piece.length
    if (this.#missingBytes > 0) {
      rotate(this.#mask, piece.length)
    }
    this.#emit(piece)
    return end
  }

  #emit(piece: Buffer): void {
    const isWhole = this.#missingBytes === 0
    if (this.#opcode < opcodes.close) {
      this.#events.message(piece, isWhole && this.#isFinal)
      return
    }
    // Copied, because the chunk is reused.
    const payload = Buffer.concat([this.#control, piece])
    this.#control = isWhole ? nothing : payload
    if (isWhole) {
      this.#isClosed = this.#opcode === opcodes.close
      if (this.#isClosed) {
        checkClose(payload)
      }
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

function checkClose(payload: Buffer): void {
  if (payload.length === 1) {
    throw invalidFrame('invalid payload length 1')
  }
  if (payload.length > 1 && !isCloseCode(payload.readUInt16BE())) {
    throw invalidFrame(`invalid status code ${payload.readUInt16BE()}`)
  }
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

/** Rotates the mask by `bytes`. */
function rotate(mask: Buffer, bytes: number): void {
  const before = Buffer.from(mask)
  for (let index = 0; index < maskBytes; index++) {
    mask[index] = before[(index + bytes) % maskBytes] as number
  }
}
