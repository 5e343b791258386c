import { WebSocket, type ClientOptions } from 'ws'
import type { StreamPace } from '../shared/contract/hub-streams.ts'

/** Bytes on their way out below which a stream may send more: what is sent in between does not wait for long. */
const mostUnsentBytes = 128 * 1024

/** The websocket of one connection, which tells how much of what was sent has not left yet. */
export class PacedSocket extends WebSocket implements StreamPace {
  #waiting: (() => void)[] = []
  #holds = 0

  constructor(address: string, protocols: string | string[] | undefined, options: ClientOptions) {
    super(address, protocols, { ...options, handshakeTimeout: 15_000, perMessageDeflate: false })
    this.on('close', () => this.#wake())
  }

  /** Sends a message; the client library gives no more than its text. */
  override send(data: string): void {
    super.send(data, () => this.#wake())
  }

  async room(): Promise<void> {
    while (this.readyState === WebSocket.OPEN && this.bufferedAmount > mostUnsentBytes) {
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

  #wake() {
    const waiting = this.#waiting
    this.#waiting = []
    waiting.forEach((resume) => resume())
  }
}
