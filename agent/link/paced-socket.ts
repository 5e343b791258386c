import { WebSocket, type ClientOptions } from 'ws'
import type { StreamPace } from '../../shared/contract/hub-streams.ts'

const kibibyte = 1024
/** Unsent bytes in this process below which a stream may send more. */
const mostUnsentBytes = 128 * kibibyte
/** Interval in bytes between pings; a pong confirms that the server has read the bytes before. */
const markEveryBytes = 64 * kibibyte
/** Limits for the bytes in flight between device and server, which delay messages sent in between. */
const leastWindowBytes = 256 * kibibyte
const mostWindowBytes = 8 * 1024 * kibibyte
/** Limit for queued answers and output, above which reading pauses: back-pressure for a peer that does not read. */
const mostUnsentAnswers = 1024 * kibibyte
/** Queueing delay below which the window grows, and above which the window shrinks. */
const shortQueueMs = 3
const longQueueMs = 8

const longestCharacterBytes = 4

/** Encodes a text as UTF-8. Counting the bytes of a long ASCII text first would take longer than encoding the text. */
function utf8Of(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(text.length + longestCharacterBytes)
  const length = bytes.write(text)
  return length === text.length ? bytes.subarray(0, length) : Buffer.from(text)
}

/**
 * WebSocket of one connection, with flow control for file streams at the pace at which the server reads: systems would
 * buffer megabytes, which would delay a keystroke's echo.
 */
export class PacedSocket extends WebSocket implements StreamPace {
  #waiting: (() => void)[] = []
  #holds = 0
  /** Resumes reading; set while reading is paused. */
  #readOn: (() => void) | undefined
  #sentBytes = 0
  #readBytes = 0
  #markedBytes = 0
  readonly #marks: { bytes: number; sentAt: number }[] = []
  #windowBytes = 512 * kibibyte
  /** Shortest round-trip time so far; any excess counts as queueing delay. */
  #shortestMs = Infinity

  constructor(address: string, protocols: string | string[] | undefined, options: ClientOptions) {
    super(address, protocols, { ...options, handshakeTimeout: 15_000, perMessageDeflate: false })
    this.on('close', () => this.#wake())
    this.on('pong', () => this.#handlePong())
  }

  /** Sends a message; the client library passes text only. */
  override send(data: string): void {
    super.send(utf8Of(data), { binary: false }, () => this.#sent())
    if (this.bufferedAmount > mostUnsentAnswers) {
      this.#readOn ??= this.hold()
    }
    this.#sentBytes += data.length
    if (this.#sentBytes - this.#markedBytes >= markEveryBytes && this.readyState === WebSocket.OPEN) {
      this.#markedBytes = this.#sentBytes
      this.#marks.push({ bytes: this.#sentBytes, sentAt: performance.now() })
      this.ping()
    }
  }

  async room(): Promise<void> {
    while (this.readyState === WebSocket.OPEN && this.#isFull) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    // The client library leaves an unhandled rejection when stream items follow after the close.
    if (this.readyState !== WebSocket.OPEN) {
      throw new Error('The connection was lost.')
    }
  }

  hold(): () => void {
    this.#holds++
    this.pause()
    return () => {
      this.#holds--
      if (this.#holds === 0) {
        this.resume()
      }
    }
  }

  get #isFull() {
    return this.bufferedAmount > mostUnsentBytes || this.#markedBytes - this.#readBytes > this.#windowBytes
  }

  #handlePong() {
    const mark = this.#marks.shift()
    if (!mark) {
      return
    }
    this.#readBytes = mark.bytes
    const tookMs = performance.now() - mark.sentAt
    this.#shortestMs = Math.min(this.#shortestMs, tookMs)
    const queueMs = tookMs - this.#shortestMs
    // Round-trip times over long and wireless paths vary: ignore delays that are small compared with the shortest time.
    const isLong = queueMs > Math.max(longQueueMs, this.#shortestMs)
    if (queueMs < Math.max(shortQueueMs, this.#shortestMs / 2)) {
      this.#windowBytes = Math.min(this.#windowBytes + markEveryBytes, mostWindowBytes)
    } else if (isLong) {
      this.#windowBytes = Math.max(this.#windowBytes * 0.8, leastWindowBytes)
    }
    this.#wake()
  }

  #sent() {
    if (this.bufferedAmount <= mostUnsentBytes) {
      this.#readOn?.()
      this.#readOn = undefined
    }
    this.#wake()
  }

  #wake() {
    const waiting = this.#waiting
    this.#waiting = []
    waiting.forEach((resume) => resume())
  }
}
