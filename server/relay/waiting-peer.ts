import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import type { Cancel, Clock } from '../clock.ts'
import type { RelayOptions } from './options.ts'
import { refuse, timedOut, type Refusal } from './refusals.ts'

/** A peer after its upgrade, with the socket beneath. */
export interface OpenPeer {
  readonly webSocket: WebSocket
  readonly socket: Socket
}

export interface WaitingPeerParts {
  request: IncomingMessage
  socket: Duplex
  head: Buffer
  waitMs: number
  options: RelayOptions
  clock: Clock
}

/** A peer whose upgrade is held back until its partner is there. */
export class WaitingPeer {
  #onLeft = () => {}
  readonly #socket: Socket
  readonly #complete: () => WebSocket
  readonly #cancelTimeout: Cancel
  readonly #vanish = () => this.drop()

  private constructor(complete: () => WebSocket, { socket, waitMs, clock }: WaitingPeerParts) {
    this.#complete = complete
    this.#socket = socket as Socket
    this.#cancelTimeout = clock.after(waitMs, () => this.refuse(timedOut))
    // Nobody may speak before the answer. Reading also is what shows that the other end has gone.
    for (const event of ['data', 'end', 'close', 'error'] as const) {
      socket.on(event, this.#vanish)
    }
  }

  /** Undefined for a request that is no upgrade to a websocket, which has then been answered, or for one that has gone. */
  static hold(parts: WaitingPeerParts): WaitingPeer | undefined {
    const complete = holdUpgrade(parts)
    return complete && new WaitingPeer(complete, parts)
  }

  /** Passes it on to another holder. The one before is told that it has left, as it is when it waits no longer. */
  holdFor(onLeft: () => void): void {
    this.#onLeft()
    this.#onLeft = onLeft
  }

  get isConnected(): boolean {
    return this.#socket.readable && this.#socket.writable
  }

  /** Answers with 101. It must be connected. */
  open(): OpenPeer {
    this.#leave()
    return { webSocket: this.#complete(), socket: this.#socket }
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

/**
 * Has the library check the handshake now. What is returned answers it; undefined if there is nothing to answer any more.
 */
function holdUpgrade({ request, socket, head, options }: WaitingPeerParts): (() => WebSocket) | undefined {
  if (head.length > 0) {
    socket.destroy()
    return undefined
  }
  let answer: ((isAccepted: boolean) => void) | undefined
  let opened: WebSocket | undefined
  const settings = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: options.maxMessageBytes,
    closeTimeout: options.closeTimeoutMs,
    // Text is passed on as bytes, whatever they are.
    skipUTF8Validation: true,
    // The library asks this last, and waits for the answer.
    verifyClient: (_info: unknown, callback: (isAccepted: boolean) => void) => (answer = callback),
  }
  new WebSocketServer(settings).handleUpgrade(request, socket, head, (webSocket) => (opened = webSocket))
  const accept = answer
  return (
    accept &&
    (() => {
      accept(true)
      if (!opened) {
        throw new Error('A peer went between the look at its socket and the answer.')
      }
      return opened
    })
  )
}
