import { IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Server as TlsServer } from 'node:tls'
import { freeChunk } from '../../flow/chunk-blocks.ts'
import { FairQueue } from '../../flow/fair-queue.ts'
import type { HeldInput, InputBudget } from '../../flow/input-budget.ts'
import { countedAddress, unmapped } from './request.ts'

/** Input parsed at once: 1 KiB has at most 170 chunks of a body, which take 1 ms. */
const pieceBytes = 1_024
/** Input of a large chunked body that is parsed at once; only a known client may send such a body. */
const largePieceBytes = 16 * 1024
const largeBodyBytes = 64 * 1024
/** Pieces and chunks of bodies parsed in one event-loop iteration, after which the connection waits in the queue. */
const maxSteps = 64

/** Smaller chunks are left to the garbage collector, which is cheaper. */
const minFreedBytes = 4_096

const none = Buffer.alloc(0)
const blankLine = Buffer.from('\r\n\r\n')
/** Length of the shortest request, before its blank line. */
const minHeadBytes = 'GET / HTTP/1.0'.length

interface Shared {
  queue: FairQueue
  unprovedInput: InputBudget
}

const pacedBy = Symbol('connection')

interface PacedMessage extends IncomingMessage {
  [pacedBy]: PacedConnection
}

const { push, _read: read } = IncomingMessage.prototype

/**
 * Passes a chunk of a body on. All requests share this function: with a closure each, requests would survive V8's quick
 * garbage collections, and a flood of requests would fill the heap (T40).
 */
function pushPaced(this: PacedMessage, chunk: Buffer | null): boolean {
  return this[pacedBy].receivedBody(chunk) ? push.call(this, chunk) : true
}

/** Called once the body has a reader, or is discarded after the response. */
function readPaced(this: PacedMessage, size: number): void {
  this[pacedBy].bodyHasReader(this)
  read.call(this, size)
}

/** Discards the rest of a body. Node's own function would hide the chunks from `push`, which frees them. */
function dumpPaced(this: PacedMessage): void {
  this.removeAllListeners('data').resume()
}

/** Parses the input of one connection piece by piece. */
class PacedConnection {
  readonly #socket: Socket
  readonly #address: string
  readonly #shared: Shared
  /** Node's parser. */
  readonly #parse: (piece: Buffer) => void
  #chunk: Buffer = none
  /** Number of parsed bytes of the chunk. */
  #parsed = 0
  #request: IncomingMessage | undefined
  #hasReader = false
  #response: ServerResponse | undefined
  /** Received bytes of the request's body. */
  #bodyBytes = 0
  #steps = 0
  /** Requests without a complete response. */
  #open = 0
  /** Reason why the rest of the chunk waits. */
  #waitsFor: 'response' | 'reader' | 'queue' | undefined
  /** Memory of a chunk that waits. */
  #held: HeldInput | undefined

  constructor(socket: Socket, shared: Shared, parse: (piece: Buffer) => void) {
    this.#socket = socket
    this.#address = countedAddress(unmapped(socket.remoteAddress ?? ''))
    this.#shared = shared
    this.#parse = parse
    socket.on('data', this.#receive).on('resume', this.#continue)
    socket.once('close', this.#ended)
  }

  /** Watches a parsed request, whose body follows. */
  opened(request: IncomingMessage, response: ServerResponse): void {
    this.#request = request
    this.#hasReader = false
    this.#response = response
    this.#bodyBytes = 0
    this.#open++
    Object.assign(request, { [pacedBy]: this, push: pushPaced, _read: readPaced, _dump: dumpPaced })
    response.once('close', this.#closed)
  }

  bodyHasReader(request: IncomingMessage): void {
    this.#hasReader ||= request === this.#request
  }

  /** Counts a chunk of the body, or its end. False if the chunk has no reader, because the response was sent. */
  receivedBody(chunk: Buffer | null): boolean {
    this.#steps++
    this.#bodyBytes += chunk?.length ?? 0
    const isRead = chunk === null || this.#response?.writableFinished !== true
    if (!isRead) {
      freeChunk(chunk)
    }
    return isRead
  }

  readonly #closed = (): void => {
    this.#open--
    if (this.#request?.complete) {
      this.#request = undefined
      this.#response = undefined
    }
    if (this.#waitsFor === 'response' && !this.#mustWaitForResponse) {
      this.#enqueue()
    }
  }

  /** Frees the input that is not parsed, and what Node has read ahead: garbage of a flood would fill memory (T40). */
  readonly #ended = (): void => {
    this.#held?.close()
    this.#freeChunk()
    const ahead = this.#socket.read() as Buffer | null
    if (ahead) {
      freeChunk(ahead)
    }
  }

  /** Stops parsing. Returns the input that is not parsed. */
  detach(): Buffer {
    this.#socket.off('data', this.#receive).off('resume', this.#continue).off('close', this.#ended)
    this.#held?.close()
    const rest = Buffer.from(this.#rest)
    // Upgraded sockets stay open for long.
    this.#chunk = none
    this.#request = undefined
    this.#response = undefined
    return rest
  }

  get #rest(): Buffer {
    return this.#chunk.subarray(this.#parsed)
  }

  /** True for pipelined requests. */
  get #mustWaitForResponse(): boolean {
    return this.#open > 0 && this.#request?.complete === true
  }

  /** True for a large body without a reader: the parser would copy what nobody reads if the request is rejected. */
  get #mustWaitForReader(): boolean {
    return !this.#hasReader && this.#announcedBytes > largeBodyBytes
  }

  readonly #receive = (chunk: Buffer): void => {
    this.#chunk = chunk
    this.#parsed = 0
    this.#continue()
  }

  /** Parses until the chunk ends, a reader of the body pauses the socket, or the rest has to wait. */
  readonly #continue = (): void => {
    const socket = this.#socket
    if (this.#waitsFor === 'reader' && !this.#mustWaitForReader) {
      this.#waitsFor = undefined
    }
    if (this.#waitsFor) {
      // Reading the body of a request resumes the socket.
      socket.pause()
      return
    }
    this.#steps = 0
    const isLarge = this.#open > 0 && this.#bodyBytes > largeBodyBytes
    while (this.#parsed < this.#chunk.length && !socket.isPaused() && !socket.destroyed) {
      if (this.#mustWaitForResponse) {
        this.#wait()
        this.#waitsFor = 'response'
      } else if (this.#mustWaitForReader) {
        socket.pause()
        this.#waitsFor = 'reader'
      } else if (this.#steps >= maxSteps) {
        this.#wait()
        this.#enqueue()
      } else {
        this.#parseNext(isLarge ? largePieceBytes : pieceBytes)
      }
    }
  }

  #parseNext(maxBytes: number): void {
    const rest = this.#rest
    const piece = rest.subarray(0, this.#announcedBytes || this.#toBlankLine(rest.subarray(0, maxBytes)))
    this.#parsed += piece.length
    this.#steps++
    this.#parse(piece)
    if (this.#parsed === this.#chunk.length) {
      this.#freeChunk()
    }
  }

  #freeChunk(): void {
    if (this.#chunk.length >= minFreedBytes) {
      freeChunk(this.#chunk)
    }
  }

  /** Length up to a blank line, which ends a request: a piece with many requests would become many objects at once. */
  #toBlankLine(input: Buffer): number {
    const at = input.indexOf(blankLine, minHeadBytes)
    return at === -1 ? input.length : at + blankLine.length
  }

  /** Missing bytes of a body with an announced length; 0 outside such a body. */
  get #announcedBytes(): number {
    const request = this.#request
    const isBody = request !== undefined && !request.complete
    return isBody ? Number(request.headers['content-length'] ?? this.#bodyBytes) - this.#bodyBytes : 0
  }

  #wait(): void {
    this.#socket.pause()
    this.#held = this.#shared.unprovedInput.open(this.#address, { drop: () => this.#socket.destroy() })
    this.#held.take(this.#chunk.length)
  }

  #enqueue(): void {
    this.#waitsFor = 'queue'
    this.#shared.queue.add(this.#address, () => {
      this.#waitsFor = undefined
      this.#held?.close()
      this.#socket.resume()
    })
  }
}

/**
 * Parses the requests of every connection in small pieces, and pipelined requests one after the other. Node parses all
 * that it reads from a socket at once: 64 KiB of requests, or of a body in chunks of 1 byte, would block the event loop
 * for 60 to 80 ms (T40). Requests that arrive in one small piece do not wait.
 */
export class PacedRequests {
  readonly #shared: Shared
  readonly #connections = new WeakMap<Duplex, PacedConnection>()

  constructor(unprovedInput: InputBudget) {
    this.#shared = { queue: new FairQueue(), unprovedInput }
  }

  watch(server: Server | TlsServer): void {
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
      const [parse] = socket.listeners('data') as ((piece: Buffer) => void)[]
      // A rejected socket has no parser.
      if (parse) {
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
    const rest = this.#connections.get(socket)?.detach() ?? Buffer.alloc(0)
    this.#connections.delete(socket)
    return rest
  }
}
