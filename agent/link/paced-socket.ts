import { WebSocket, type ClientOptions } from 'ws'
import type { StreamPace } from '../../shared/contract/hub-streams.ts'

const kibibyte = 1024
/** Bytes on their way out of this process below which a stream may send more. */
const mostUnsentBytes = 128 * kibibyte
/** A ping follows so many bytes; its answer tells that the server has read them. */
const markEveryBytes = 64 * kibibyte
/** Bytes between this device and the server: what is sent in between waits behind them. */
const leastWindowBytes = 256 * kibibyte
const mostWindowBytes = 8 * 1024 * kibibyte
/** Answers and output that wait to be sent, past which nothing more is read; a peer that does not read gets no more. */
const mostUnsentAnswers = 1024 * kibibyte
/** Waiting in line for less than this, more may be sent; for more than that, less. */
const shortQueueMs = 3
const longQueueMs = 8

/**
 * The websocket of one connection. Streams of files keep to the pace at which the server reads: systems would take
 * megabytes at once, and a keystroke's echo would wait behind all of them.
 */
export class PacedSocket extends WebSocket implements StreamPace {
  #waiting: (() => void)[] = []
  #holds = 0
  /** Reads again; set while answers wait to be sent. */
  #readOn: (() => void) | undefined
  #sentBytes = 0
  #readBytes = 0
  #markedBytes = 0
  readonly #marks: { bytes: number; sentAt: number }[] = []
  #windowBytes = 512 * kibibyte
  /** The shortest way there and back so far: what a ping takes longer is waiting in line. */
  #shortestMs = Infinity

  constructor(address: string, protocols: string | string[] | undefined, options: ClientOptions) {
    super(address, protocols, { ...options, handshakeTimeout: 15_000, perMessageDeflate: false })
    this.on('close', () => this.#wake())
    this.on('pong', () => this.#handlePong())
  }

  /** Sends a message; the client library gives no more than its text. */
  override send(data: string): void {
    super.send(data, () => this.#sent())
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
    // The client library leaves a rejection that nobody handles when items follow after the end.
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
    // Far away, and over the air, times differ by themselves: what is small beside the way counts as nothing.
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
