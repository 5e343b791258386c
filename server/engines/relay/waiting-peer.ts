import type { Socket } from 'node:net'
import type { Cancel, Clock } from '../../ground/clock.ts'
import { refuse, type Refusal } from '../flow/websocket/handshake.ts'
import { timedOut } from './refusals.ts'

export interface WaitingPeerDependencies {
  socket: Socket
  /** The 101 response to send. */
  answer: string
  waitMs: number
  clock: Clock
}

/** A peer whose upgrade waits for the partner. */
export class WaitingPeer {
  #onLeft = () => {}
  readonly #socket: Socket
  readonly #answer: string
  readonly #cancelTimeout: Cancel
  readonly #drop = () => this.drop()

  constructor({ socket, answer, waitMs, clock }: WaitingPeerDependencies) {
    this.#socket = socket
    this.#answer = answer
    this.#cancelTimeout = clock.after(waitMs, () => this.refuse(timedOut))
    // Peers must not send before the response. Reading also detects that the peer disconnected.
    for (const event of ['data', 'end', 'close', 'error'] as const) {
      socket.on(event, this.#drop)
    }
  }

  /**
   * Assigns the peer to a session or a waiting list. Calls the previous `onLeft`; the new one is called when the peer
   * stops waiting.
   */
  assign(onLeft: () => void): void {
    this.#onLeft()
    this.#onLeft = onLeft
  }

  get isConnected(): boolean {
    return this.#socket.readable && this.#socket.writable
  }

  /** Answers with 101. The socket must be read in the same event-loop iteration. */
  open(): Socket {
    this.#stop()
    this.#socket.setTimeout(0)
    this.#socket.setNoDelay()
    this.#socket.write(this.#answer)
    return this.#socket
  }

  refuse(refusal: Refusal): void {
    this.#stop()
    refuse(this.#socket, refusal)
  }

  drop(): void {
    this.#stop()
    this.#socket.destroy()
  }

  #stop(): void {
    this.#cancelTimeout()
    for (const event of ['data', 'end', 'close', 'error'] as const) {
      this.#socket.off(event, this.#drop)
    }
    this.#onLeft()
  }
}
