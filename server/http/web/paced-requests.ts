import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Server as TlsServer } from 'node:tls'
import { FairQueue } from '../../fair-queue.ts'
import { PacedInput, type PacedPeer } from '../../paced-input.ts'
import type { HeldInput, PausableReader, UnprovedInput } from '../../unproved-input.ts'
import { countedAddress, unmapped } from './request.ts'

/** Bytes read from one peer before the next: Node's parser takes as long for a chunk of 1 byte as for one of 1 KiB. */
const pieceBytes = 1_024

/** Shared fair queues: the start of a request waits only for other starts, and is not delayed by bodies. */
interface Queues {
  beginnings: FairQueue
  bodies: FairQueue
}

/** Connection without a valid credential. */
class UnprovedClient implements PacedPeer {
  isProved = false
  readonly #queues: Queues
  readonly #address: string
  readonly #held: HeldInput
  readonly #input: PacedInput
  /** Unanswered requests. */
  #open = 0
  #request: IncomingMessage | undefined
  #isQueued = false

  constructor(socket: Socket, queues: Queues, unprovedInput: UnprovedInput) {
    this.#queues = queues
    this.#address = countedAddress(unmapped(socket.remoteAddress ?? ''))
    this.#held = unprovedInput.open(this.#address, {
      drop: () => socket.destroy(),
      isUnfinished: () => !this.#isQueued,
    })
    const push = socket.push.bind(socket)
    this.#input = new PacedInput(socket, {
      peer: this,
      cut: (chunk) => {
        // Copied, because Node references parts of bodies, and with them the whole chunk.
        const piece = Buffer.from(chunk.subarray(0, pieceBytes))
        return { piece, taken: piece.length }
      },
      mayHandOver: () => this.#open <= 1 && !this.#isBodyFull,
      readWhole: push,
      proved: () => this.#held.close(),
    })
    socket.once('close', () => this.#held.close())
  }

  /** True while the body has no reader. */
  get #isBodyFull(): boolean {
    const request = this.#request
    return request !== undefined && request.readableLength >= request.readableHighWaterMark
  }

  take(bytes: number): void {
    this.#held.take(bytes)
  }

  give(bytes: number): void {
    this.#held.give(bytes)
  }

  queue(run: () => void): void {
    const { beginnings, bodies } = this.#queues
    const queue = this.#open === 0 ? beginnings : bodies
    this.#isQueued = true
    queue.add(this.#address, () => {
      try {
        run()
      } finally {
        this.#isQueued = false
      }
    })
  }

  readWhenRoom(reader: PausableReader): void {
    this.#held.readWhenRoom(reader)
  }

  /** Counts a request. Pipelined requests are parsed when the earlier requests are answered. */
  count(request: IncomingMessage, response: ServerResponse): void {
    this.#open++
    this.#request = request
    response.once('close', () => {
      this.#open--
      this.#input.next()
    })
  }

  prove(): void {
    this.isProved = true
    this.#input.next()
  }

  detach(): Buffer {
    return this.#input.detach()
  }
}

/**
 * Reads requests of peers without a credential in small pieces, one per place in the fair queue. Node reads up to 2 MiB
 * of a socket at once: a body in chunks of 1 byte, or pipelined requests, would delay all other peers (T40).
 */
export class PacedRequests {
  readonly #queues: Queues = { beginnings: new FairQueue(), bodies: new FairQueue() }
  readonly #clients = new WeakMap<Duplex, UnprovedClient>()
  readonly #unprovedInput: UnprovedInput

  constructor(unprovedInput: UnprovedInput) {
    this.#unprovedInput = unprovedInput
  }

  watch(server: Server | TlsServer): void {
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
      // With such a listener, Node parses the data that the socket emits. Otherwise the parser reads from the socket's
      // handle.
      socket.on('data', ignore).off('data', ignore)
      this.#clients.set(socket, new UnprovedClient(socket, this.#queues, this.#unprovedInput))
    })
    server.on('request', (request: IncomingMessage, response: ServerResponse) =>
      this.#clients.get(request.socket)?.count(request, response),
    )
  }

  /** Ends the pacing of a connection that has shown a valid credential. */
  prove(socket: Duplex): void {
    this.#clients.get(socket)?.prove()
    this.#clients.delete(socket)
  }

  /** Ends the pacing of a connection that is no longer HTTP. Returns its unread input. */
  detach(socket: Duplex): Buffer {
    const rest = this.#clients.get(socket)?.detach() ?? Buffer.alloc(0)
    this.#clients.delete(socket)
    return rest
  }
}

const ignore = () => {}
