import type { Socket } from 'node:net'
import type { Cancel, Clock } from '../clock.ts'
import { refuse, timedOut, type Refusal } from './refusals.ts'

export interface WaitingPeerDependencies {
  socket: Socket
  /** The 101 that it waits for. */
  answer: string
  waitMs: number
  clock: Clock
}

/** A peer whose upgrade is held back until its partner is there. */
export class WaitingPeer {
  #onLeft = () => {}
  readonly #socket: Socket
  readonly #answer: string
  readonly #cancelTimeout: Cancel
  readonly #vanish = () => this.drop()

  constructor({ socket, answer, waitMs, clock }: WaitingPeerDependencies) {
    this.#socket = socket
    this.#answer = answer
    this.#cancelTimeout = clock.after(waitMs, () => this.refuse(timedOut))
    // Nobody may speak before the answer. Reading also is what shows that the other end has gone.
    for (const event of ['data', 'end', 'close', 'error'] as const) {
      socket.on(event, this.#vanish)
    }
  }

  /** Passes it on to another holder. The one before is told that it has left, as it is when it waits no longer. */
  holdFor(onLeft: () => void): void {
    this.#onLeft()
    this.#onLeft = onLeft
  }

  get isConnected(): boolean {
    return this.#socket.readable && this.#socket.writable
  }

  /** Answers with 101. What comes from its socket has to be read in the same turn. */
  open(): Socket {
    this.#leave()
    this.#socket.setTimeout(0)
    this.#socket.setNoDelay()
    this.#socket.write(this.#answer)
    return this.#socket
  }

  refuse(refusal: Refusal): void {
    this.#leave()
    refuse(this.#socket, refusal)
  }

  drop(): void {
    this.#leave()
    this.#socket.destroy()
  }

  #leave(): void {
    this.#cancelTimeout()
    for (const event of ['data', 'end', 'close', 'error'] as const) {
      this.#socket.off(event, this.#vanish)
    }
    this.#onLeft()
  }
}
