import type { Socket } from 'node:net'
import { PacedInput } from '../../paced-input.ts'
import { pieceBytes, type UnprovedPeer } from '../unproved-peer.ts'

/**
 * Large WebSocket messages, cut into small ones on their way in. The boundaries of WebSocket messages mean nothing to
 * the hub protocol, while the library holds a message until its last byte has come: so clients that join much into one
 * message would fill our memory, or be cut off by a limit that is not theirs.
 */

const fin = 0x80
const reserved = 0x70
const masked = 0x80
const opcodes = 0x0f
const continuation = 0
const text = 1
const binary = 2
const control = 8
const pong = 10
const maskBytes = 4
const minHeadBytes = 6
const maxControlBytes = 125
/** More than Node reads at once from a socket, so that only what is not split is too large. */
export const maxPieceBytes = 1_048_576
/** Continues a message where there is none. */
const strayContinuation = Buffer.from([fin | continuation, masked, 0, 0, 0, 0])
/** Frames of an unproved peer that are read in one turn: each costs as much as many bytes. */
const pieceFrames = 32
const nothing = Buffer.alloc(0)

interface Frame {
  opcode: number
  isFinal: boolean
  /** Where its payload begins, and where it ends. */
  payload: number
  end: number
}

const isControl = ({ opcode }: Frame) => opcode >= control

/** Frames that may still be read. */
interface FrameCount {
  left: number
}
const unlimited: FrameCount = { left: Infinity }

/**
 * Where the frames from `at` on end that are whole messages of their own, or control frames, and have come whole. Nearly
 * all that arrives is of this kind: nothing is made for it. A length of 8 bytes belongs to what comes in many reads.
 */
function endOfWhole(bytes: Buffer, at: number, frames: FrameCount = unlimited): number {
  while (frames.left > 0 && bytes.length >= at + minHeadBytes) {
    const kind = (bytes[at] as number) ^ fin
    const isAlone = kind === text || kind === binary || (kind >= control && kind <= pong)
    const short = (bytes[at + 1] as number) ^ masked
    if (!isAlone || short > (kind < control ? 126 : maxControlBytes)) {
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

/** Reads the head of a frame at `at`; undefined for one that the library should refuse. */
function headOf(bytes: Buffer, at: number): Frame | 'cut' | undefined {
  if (bytes.length < at + 2) {
    return 'cut'
  }
  const first = bytes[at] as number
  const second = bytes[at + 1] as number
  const opcode = first & opcodes
  const isFinal = (first & fin) !== 0
  const short = second & ~masked
  const isAllowed = opcode >= control ? isFinal && short <= maxControlBytes : opcode <= binary
  if (!isAllowed || (first & reserved) !== 0 || (second & masked) === 0) {
    return undefined
  }
  const lengthBytes = short < 126 ? 0 : short === 126 ? 2 : 8
  const payload = at + 2 + lengthBytes + maskBytes
  if (bytes.length < payload) {
    return 'cut'
  }
  const length =
    lengthBytes === 0 ? short : lengthBytes === 2 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
  return Number.isSafeInteger(length) ? { opcode, isFinal, payload, end: payload + length } : undefined
}

/** The head of a whole message that holds `length` masked bytes. */
function writeHead(length: number, mask: Buffer): Buffer {
  const head = Buffer.allocUnsafe(14)
  head[0] = fin | binary
  let end = 2
  if (length < 126) {
    head[1] = masked | length
  } else if (length < 65_536) {
    head[1] = masked | 126
    end = head.writeUInt16BE(length, 2)
  } else {
    head[1] = masked | 127
    end = head.writeBigUInt64BE(BigInt(length), 2)
  }
  mask.copy(head, end)
  return head.subarray(0, end + maskBytes)
}

/** Cuts what one client sends. What breaks the rules passes unchanged: the library refuses it. */
export class FrameSplitter {
  /** The beginning of a frame of which more has to come before anything can be done with it. */
  #rest: Buffer = nothing
  /** Of a frame whose payload has not come whole: what is missing, and how its next byte is masked. */
  #missing = 0
  #mask: Buffer = nothing
  #isInFragments = false
  #isBroken = false

  /** Whether `chunk` is ready for the library as it is: nothing is open, and it holds whole messages only. */
  passes(chunk: Buffer): boolean {
    const isIdle = this.#missing === 0 && this.#rest.length === 0 && !this.#isInFragments
    return this.#isBroken || (isIdle && endOfWhole(chunk, 0) === chunk.length)
  }

  /** The same messages, ready for the library. */
  split(chunk: Buffer): Buffer[] {
    return this.passes(chunk) ? [chunk] : this.#split(chunk, unlimited).pieces
  }

  /** The first frames of a chunk, ready for the library, and how many bytes of the chunk they are. */
  splitSome(chunk: Buffer, maxFrames: number): { piece: Buffer; taken: number } {
    const { pieces, taken } = this.#split(chunk, { left: maxFrames })
    // A copy: a few bytes that the reader keeps would hold the whole chunk in memory.
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

  /** Takes what has come of any other frame. Returns where it ends. */
  #takeFrame(bytes: Buffer, at: number, pieces: Buffer[]): number {
    const frame = headOf(bytes, at)
    if (frame === 'cut' || (frame && isControl(frame) && frame.end > bytes.length)) {
      // A copy, because it is small and would keep the whole chunk in memory.
      this.#rest = Buffer.from(bytes.subarray(at))
      return bytes.length
    }
    if (!frame || this.#breaksOrder(frame)) {
      this.#isBroken = true
      // The library has seen no fragments, so for it the order must be broken in another way.
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

  /** Passes on what has come of a payload, as a message of its own. Returns where it ends. */
  #takePayload(bytes: Buffer, at: number, pieces: Buffer[]): number {
    const length = Math.min(this.#missing, bytes.length - at)
    if (length > 0) {
      pieces.push(writeHead(length, this.#mask), bytes.subarray(at, at + length))
      this.#missing -= length
      const turn = length % maskBytes
      this.#mask = Buffer.concat([this.#mask.subarray(turn), this.#mask.subarray(0, turn)])
    }
    return at + length
  }

  /** A message begins while another is in fragments, or goes on while none is. */
  #breaksOrder(frame: Frame): boolean {
    return !isControl(frame) && (frame.opcode === continuation) !== this.#isInFragments
  }
}

/**
 * Has everything that arrives on `socket` split before it is read, what came with the request first. Input of an unproved
 * peer is split and read in turns. To be called when the library reads from the socket, and nothing has arrived since `early`.
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
