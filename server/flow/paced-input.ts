import type { Socket } from 'node:net'
import { giveBlock, toBlock } from './chunk-blocks.ts'
import type { PausableReader } from './input-budget.ts'

/** Owner of a socket whose input waits in a fair queue. */
export interface PacedPeer {
  /** True once the input is read without queueing. */
  readonly isProved: boolean
  /** Calls `run` when the next piece may be read. */
  queue(run: () => void): void
  take(bytes: number): void
  give(bytes: number): void
  readWhenRoom(reader: PausableReader): void
}

export interface PacedReading {
  peer: PacedPeer
  /** Cuts the next piece from a chunk: the piece for the socket's reader, and the number of its bytes in the chunk. */
  cut(chunk: Buffer): { piece: Buffer; taken: number }
  /** Reads a whole chunk of a proved peer. */
  readWhole(chunk: Buffer): void
  /** Switches to reading without queueing; called once, after the proof. */
  proved(): void
}

/** Part of a socket with which Node starts and stops reading while the socket stays in flowing mode. */
interface Inside {
  _handle?: { reading: boolean; readStop(): void } | null
}

/**
 * Passes on the input of a socket piece by piece, each after its place in the fair queue. While pieces are queued the
 * socket is not read, so that TCP slows the peer down and memory holds one chunk.
 */
export class PacedInput implements PausableReader {
  readonly #socket: Socket
  readonly #reading: PacedReading
  readonly #push: Socket['push']
  readonly #read: Socket['_read']
  readonly #chunks: Buffer[] = []
  /** Number of bytes of the first chunk that are passed on. */
  #passedOn = 0
  #hasEnded = false
  #isQueued = false

  constructor(socket: Socket, reading: PacedReading) {
    this.#socket = socket
    this.#reading = reading
    this.#push = socket.push.bind(socket)
    this.#read = socket._read.bind(socket)
    socket.push = (chunk: Buffer | null) => this.#receive(chunk)
    socket._read = this.#next
    socket.on('resume', this.#next)
    socket.on('close', this.#free)
    this.#next()
  }

  start(): void {
    if (!this.#socket.destroyed) {
      this.#read(0)
    }
  }

  stop(): void {
    const { _handle: handle } = this.#socket as Inside
    if (handle?.reading) {
      handle.reading = false
      handle.readStop()
    }
  }

  readonly #free = (): void => this.#chunks.splice(0).forEach(giveBlock)

  #receive(chunk: Buffer | null): boolean {
    const bytes = chunk?.length ?? 0
    if (chunk === null) {
      this.#hasEnded = true
    } else {
      this.#chunks.push(toBlock(chunk))
    }
    this.#next()
    // Counted once queued: before, the chunk would be an unfinished message.
    this.#reading.peer.take(bytes)
    return false
  }

  /** Passes on the next piece, if the socket and the reader are ready. */
  readonly #next = (): void => {
    const { peer } = this.#reading
    if (this.#isQueued || this.#socket.isPaused() || this.#socket.destroyed) {
      return
    }
    if (this.#chunks.length > 0) {
      this.#isQueued = true
      peer.queue(() => this.#passOn())
    } else if (this.#hasEnded) {
      this.#push(null)
    } else if (peer.isProved) {
      this.#release()
    } else {
      peer.readWhenRoom(this)
    }
  }

  /** Queued rest of the first chunk. */
  #rest(): Buffer | undefined {
    return this.#chunks[0]?.subarray(this.#passedOn)
  }

  /** Marks bytes of the first chunk as passed on. */
  #advance(bytes: number): void {
    const [chunk] = this.#chunks
    this.#passedOn += bytes
    if (chunk && this.#passedOn === chunk.length) {
      this.#chunks.shift()
      this.#passedOn = 0
      giveBlock(chunk)
    }
  }

  #passOn(): void {
    this.#isQueued = false
    if (this.#socket.isPaused() || this.#socket.destroyed) {
      return
    }
    const { peer, cut, readWhole } = this.#reading
    if (peer.isProved) {
      for (let rest = this.#rest(); rest; rest = this.#rest()) {
        // Copied, because the block is reused.
        readWhole(Buffer.from(rest))
        this.#advance(rest.length)
      }
    } else {
      const { piece, taken } = cut(this.#rest()!)
      this.#advance(taken)
      peer.give(taken)
      if (piece.length > 0) {
        this.#push(piece)
      }
    }
    this.#next()
  }

  #release(): void {
    const socket = this.#socket
    // Assigned, not deleted: see `queueUpgrade`.
    socket.push = this.#push
    socket._read = this.#read
    socket.off('resume', this.#next)
    socket.off('close', this.#free)
    this.#reading.proved()
    this.start()
  }
}
