import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Server as TlsServer } from 'node:tls'
import { freeChunk } from '../../flow/chunk-blocks.ts'
import { FairQueue } from '../../flow/fair-queue.ts'
import type { HeldInput, InputBudget } from '../../flow/input-budget.ts'
import { joinSmallChunks } from './join-small-chunks.ts'
import { countedAddress, unmapped, type RemoteAddressOf } from './remote-address.ts'

/** Input that is parsed before the rest waits in the queue: up to 340 chunks of 1 byte, which take 2 ms. */
const turnBytes = 2 * 1024
/** Input parsed per turn of a large body in chunks; only a known client may send such a body. */
const largeTurnBytes = 16 * 1024
const largeBodyBytes = 64 * 1024

const none = Buffer.alloc(0)
const blankLine = Buffer.from('\r\n\r\n')
/** Length of the shortest request, before its blank line. */
const minHeadBytes = 'GET / HTTP/1.0'.length

interface Shared {
  queue: FairQueue
  unprovedInput: InputBudget
  addressOf: RemoteAddressOf
}

/** Parses the input of one connection piece by piece. */
class PacedConnection {
  readonly #socket: Socket
  /** Counted address of the peer, which may be a proxy. */
  readonly #peer: string
  readonly #shared: Shared
  readonly #parse: (piece: Buffer) => void
  /** Received input that is not parsed. */
  #rest: Buffer = none
  /** Request that is parsed, or without a complete response. */
  #request: IncomingMessage | undefined
  /** Missing bytes of a body with an announced length. */
  #announcedBytes = 0
  /** Parsed bytes of a body in chunks. */
  #chunkedBytes = 0
  /** Bytes that may be parsed before the rest waits. */
  #left = turnBytes
  /** Requests without a complete response. */
  #open = 0
  /** Reason why the rest of the input waits. */
  #waitsFor: 'response' | 'queue' | undefined
  /** Memory of input that waits. */
  #held: HeldInput | undefined

  constructor(socket: Socket, shared: Shared, parse: (piece: Buffer) => void) {
    this.#socket = socket
    this.#peer = countedAddress(unmapped(socket.remoteAddress ?? ''))
    this.#shared = shared
    this.#parse = parse
    socket.on('data', this.#receive).on('resume', this.#continue)
    socket.once('close', this.#ended)
  }

  /** Watches a parsed request, whose body follows. */
  opened(request: IncomingMessage, response: ServerResponse): void {
    this.#request = request
    this.#announcedBytes = Number(request.headers['content-length'] ?? 0)
    this.#chunkedBytes = 0
    this.#left = turnBytes
    this.#open++
    response.once('close', this.#closed)
  }

  /** Stops parsing. Returns the input that is not parsed. */
  detach(): Buffer {
    this.#socket.off('data', this.#receive).off('resume', this.#continue).off('close', this.#ended)
    const rest = this.#rest
    this.#ended()
    this.#request = undefined
    return rest
  }

  readonly #closed = (): void => {
    this.#open--
    if (this.#request?.complete) {
      this.#request = undefined
    }
    if (this.#waitsFor === 'response' && !this.#mustWaitForResponse) {
      this.#enqueue()
    }
  }

  readonly #ended = (): void => {
    this.#held?.close()
    this.#rest = none
  }

  /** True for pipelined requests. */
  get #mustWaitForResponse(): boolean {
    return this.#open > 0 && this.#request?.complete === true
  }

  readonly #receive = (chunk: Buffer): void => {
    this.#rest = chunk
    this.#continue()
  }

  /** Address that pays for waiting input: of the client whose body is read, else of the peer. */
  get #payer(): string {
    return this.#request?.complete === false ? countedAddress(this.#shared.addressOf(this.#request)) : this.#peer
  }

  /** Parses until the input ends, a reader of the body pauses the socket, or the rest has to wait. */
  readonly #continue = (): void => {
    const socket = this.#socket
    if (this.#waitsFor) {
      // Reading the body of a request resumes the socket.
      socket.pause()
      return
    }
    while (this.#rest.length > 0 && !socket.isPaused() && !socket.destroyed) {
      if (this.#mustWaitForResponse) {
        this.#wait()
        this.#waitsFor = 'response'
      } else if (this.#left <= 0) {
        this.#wait()
        this.#enqueue()
      } else {
        this.#parseNext()
      }
    }
  }

  /** Parses the next piece: a body with an announced length, or up to a blank line, which ends a request. */
  #parseNext(): void {
    const isAnnounced = this.#announcedBytes > 0
    const length = isAnnounced ? this.#announcedBytes : this.#toBlankLine(this.#rest.subarray(0, this.#left))
    const piece = this.#rest.subarray(0, length)
    this.#rest = this.#rest.subarray(piece.length)
    if (isAnnounced) {
      this.#announcedBytes -= piece.length
    } else {
      this.#chunkedBytes += piece.length
      this.#left -= piece.length
    }
    const unreadBytes = this.#unreadBytes
    this.#parse(piece)
    if (isAnnounced) {
      // The parser has copied the piece; the garbage of a flood of bodies would fill memory (T40).
      freeChunk(piece)
    } else if (this.#request?.complete === false && this.#unreadBytes > Math.max(unreadBytes, turnBytes)) {
      // The stream resumes the socket at the first read after it got data, but no more once the body has ended.
      this.#socket.pause()
    }
  }

  /** Bytes of the body that its reader has not taken; each chunk takes some 200 bytes besides its own. */
  get #unreadBytes(): number {
    return this.#request?.readableLength ?? 0
  }

  #toBlankLine(input: Buffer): number {
    const isBody = this.#request?.complete === false
    const at = input.indexOf(blankLine, isBody ? 0 : minHeadBytes)
    return at === -1 ? input.length : at + blankLine.length
  }

  #wait(): void {
    this.#socket.pause()
    this.#held = this.#shared.unprovedInput.open(this.#payer, { drop: () => this.#socket.destroy() })
    this.#held.take(this.#rest.buffer.byteLength)
  }

  #enqueue(): void {
    this.#waitsFor = 'queue'
    this.#shared.queue.add(this.#payer, () => {
      this.#waitsFor = undefined
      this.#left = this.#chunkedBytes > largeBodyBytes ? largeTurnBytes : turnBytes
      this.#held?.close()
      this.#socket.resume()
    })
  }
}

/**
 * Parses the requests of every connection one after the other, and a body of many chunks in pieces. Node parses all that
 * it reads from a socket at once: 64 KiB of requests, or of a body in chunks of 1 byte, would block the event loop for 60
 * to 80 ms (T40). One request at a time with a body of an announced length does not wait.
 */
export class PacedRequests {
  readonly #shared: Shared
  readonly #connections = new WeakMap<Duplex, PacedConnection>()

  constructor(unprovedInput: InputBudget, addressOf: RemoteAddressOf) {
    this.#shared = { queue: new FairQueue(), unprovedInput, addressOf }
  }

  watch(server: Server | TlsServer): void {
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
      const [parse] = socket.listeners('data') as ((piece: Buffer) => void)[]
      // A rejected socket has no parser.
      if (parse) {
        joinSmallChunks(socket)
        this.#connections.set(socket, new PacedConnection(socket, this.#shared, parse))
        socket.off('data', parse)
      }
    })
    server.on('request', (request: IncomingMessage, response: ServerResponse) =>
      this.#connections.get(request.socket)?.opened(request, response),
    )
  }

  /** Stops parsing a connection that is no longer HTTP. Returns its input that is not parsed. */
  detach(socket: Duplex): Buffer {
    const rest = this.#connections.get(socket)?.detach() ?? none
    this.#connections.delete(socket)
    return rest
  }
}
