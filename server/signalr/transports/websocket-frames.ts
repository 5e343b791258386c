import type { Socket } from 'node:net'
import { PacedInput } from '../../flow/paced-input.ts'
import {
  finalBit,
  headBytesOf,
  maskBit,
  maskBytes,
  maxControlBytes,
  maxHeadBytes,
  opcodeBits,
  opcodes,
  payloadBytesIn,
  reservedBits,
  writeHead,
} from '../../flow/websocket-head.ts'
import { pieceBytes, type UnprovedPeer } from '../unproved-peer.ts'

/**
 * Splits large incoming WebSocket messages. The hub protocol ignores the boundaries of WebSocket messages, but the
 * library buffers a message until its last byte: clients that join many hub messages into one WebSocket message would
 * fill memory, or exceed a limit not meant for them.
 */

const minHeadBytes = 6
/** More than Node reads at once from a socket, so that only unsplit messages can be too large. */
export const maxPieceBytes = 1_048_576
/** An invalid frame: continues a message that does not exist. */
const strayContinuation = Buffer.from([finalBit | opcodes.continuation, maskBit, 0, 0, 0, 0])
/** Frames of an unproved peer read per place in the fair queue: each costs as much as many bytes. */
const pieceFrames = 32
const nothing = Buffer.alloc(0)

interface Frame {
  opcode: number
  isFinal: boolean
  /** Start and end of the payload. */
  payload: number
  end: number
}

const isControl = ({ opcode }: Frame) => opcode >= opcodes.close

/** Frames that may still be read. */
interface FrameCount {
  left: number
}
const unlimited: FrameCount = { left: Infinity }

/**
 * End of the leading frames from `at` on that are complete: whole messages in one frame, or control frames. Nearly all
 * input is of this kind and needs no allocation. A frame with an 8-byte length arrives in many reads.
 */
function endOfWhole(bytes: Buffer, at: number, frames: FrameCount = unlimited): number {
  while (frames.left > 0 && bytes.length >= at + minHeadBytes) {
    const kind = (bytes[at] as number) ^ finalBit
    const isAlone = kind === opcodes.text || kind === opcodes.binary || (kind >= opcodes.close && kind <= opcodes.pong)
    const short = (bytes[at + 1] as number) ^ maskBit
    if (!isAlone || short > (kind < opcodes.close ? 126 : maxControlBytes)) {
      return at
    }
    const end = short < 126 ? at + minHeadBytes + short : at + minHeadBytes + 2 + bytes.readUInt16BE(at + 2)
    if (end > bytes.length) {
      return at
    }
    at = end
    frames.left--
  }
  return at
}

/** Reads the head of a frame at `at`; undefined for a frame that the library should reject. */
function headOf(bytes: Buffer, at: number): Frame | 'cut' | undefined {
  if (bytes.length < at + 2) {
    return 'cut'
  }
  const first = bytes[at] as number
  const second = bytes[at + 1] as number
  const opcode = first & opcodeBits
  const isFinal = (first & finalBit) !== 0
  const short = second & ~maskBit
  const isAllowed = opcode >= opcodes.close ? isFinal && short <= maxControlBytes : opcode <= opcodes.binary
  if (!isAllowed || (first & reservedBits) !== 0 || (second & maskBit) === 0) {
    return undefined
  }
  const payload = at + headBytesOf(second)
  if (bytes.length < payload) {
    return 'cut'
  }
  const length = payloadBytesIn(bytes, at)
  return Number.isSafeInteger(length) ? { opcode, isFinal, payload, end: payload + length } : undefined
}

/** Writes the head of a whole message of `length` masked bytes. */
function messageHead(length: number, mask: Buffer): Buffer {
  const head = Buffer.allocUnsafe(maxHeadBytes + maskBytes)
  const end = writeHead(head, 0, finalBit | opcodes.binary, length, maskBit)
  mask.copy(head, end)
  return head.subarray(0, end + maskBytes)
}

/** Splits the frames of one client. Invalid frames pass unchanged: the library rejects them. */
export class FrameSplitter {
  /** Incomplete start of a frame, to be parsed with the next chunk. */
  #rest: Buffer = nothing
  /** Missing bytes of an incomplete payload, and the mask of its next byte. */
  #missing = 0
  #mask: Buffer = nothing
  #isInFragments = false
  #isBroken = false

  /** True if `chunk` can pass to the library unchanged: no message is open, and the chunk holds whole messages only. */
  passes(chunk: Buffer): boolean {
    const isIdle = this.#missing === 0 && this.#rest.length === 0 && !this.#isInFragments
    return this.#isBroken || (isIdle && endOfWhole(chunk, 0) === chunk.length)
  }

  /** Splits a chunk into messages for the library. */
  split(chunk: Buffer): Buffer[] {
    return this.passes(chunk) ? [chunk] : this.#split(chunk, unlimited).pieces
  }

  /** Splits the first frames of a chunk, and returns the number of their bytes in the chunk. */
  splitSome(chunk: Buffer, maxFrames: number): { piece: Buffer; taken: number } {
    const { pieces, taken } = this.#split(chunk, { left: maxFrames })
    // Copied: a small view would keep the whole chunk in memory.
    return { piece: Buffer.concat(pieces), taken }
  }

  #split(chunk: Buffer, frames: FrameCount): { pieces: Buffer[]; taken: number } {
    if (this.#isBroken) {
      return { pieces: [chunk], taken: chunk.length }
    }
    const held = this.#rest.length
    const bytes = held > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    this.#rest = nothing
    const pieces: Buffer[] = []
    let at = this.#takePayload(bytes, 0, pieces)
    while (at < bytes.length && frames.left > 0) {
      const end = this.#isInFragments ? at : endOfWhole(bytes, at, frames)
      if (end > at) {
        pieces.push(bytes.subarray(at, end))
      }
      at = end < bytes.length && frames.left > 0 ? this.#takeFrame(bytes, end, pieces) : end
      frames.left--
    }
    return { pieces, taken: at - held }
  }

  /** Takes the received part of any other frame. Returns the end of that part. */
  #takeFrame(bytes: Buffer, at: number, pieces: Buffer[]): number {
    const frame = headOf(bytes, at)
    if (frame === 'cut' || (frame && isControl(frame) && frame.end > bytes.length)) {
      // Copied, because a small view would keep the whole chunk in memory.
      this.#rest = Buffer.from(bytes.subarray(at))
      return bytes.length
    }
    if (!frame || this.#breaksOrder(frame)) {
      this.#isBroken = true
      // The library has seen no fragments, so another invalid frame must trigger the error.
      pieces.push(frame ? strayContinuation : bytes.subarray(at))
      return bytes.length
    }
    if (isControl(frame)) {
      pieces.push(bytes.subarray(at, frame.end))
      return frame.end
    }
    this.#isInFragments = !frame.isFinal
    this.#missing = frame.end - frame.payload
    this.#mask = Buffer.from(bytes.subarray(frame.payload - maskBytes, frame.payload))
    return this.#takePayload(bytes, frame.payload, pieces)
  }

  /** Passes on the received part of a payload as a message of its own. Returns the end of that part. */
  #takePayload(bytes: Buffer, at: number, pieces: Buffer[]): number {
    const length = Math.min(this.#missing, bytes.length - at)
    if (length > 0) {
      pieces.push(messageHead(length, this.#mask), bytes.subarray(at, at + length))
      this.#missing -= length
      const shift = length % maskBytes
      this.#mask = Buffer.concat([this.#mask.subarray(shift), this.#mask.subarray(0, shift)])
    }
    return at + length
  }

  /** True if a message begins inside a fragmented message, or a continuation has no message to continue. */
  #breaksOrder(frame: Frame): boolean {
    return !isControl(frame) && (frame.opcode === opcodes.continuation) !== this.#isInFragments
  }
}

/**
 * Splits all input of `socket` before it is read, starting with `early`. Input of an unproved peer is split further and
 * waits in the fair queue. Call this once the library reads from the socket, before more input arrives.
 */
export function splitIncoming(socket: Socket, early: Buffer, peer: UnprovedPeer | undefined): void {
  const splitter = new FrameSplitter()
  const push = socket.push.bind(socket)
  const pushAll = (chunk: Buffer) => splitter.split(chunk).reduce((_, piece) => push(piece), true)
  const splitAll = () =>
    void (socket.push = (chunk: Buffer | null) =>
      chunk === null || splitter.passes(chunk) ? push(chunk) : pushAll(chunk))
  if (peer?.isProved === false) {
    const cut = (chunk: Buffer) => splitter.splitSome(chunk.subarray(0, pieceBytes), pieceFrames)
    void new PacedInput(socket, { peer, cut, readWhole: pushAll, proved: splitAll })
  } else {
    splitAll()
    if (early.length > 0) {
      pushAll(early)
    }
  }
}
