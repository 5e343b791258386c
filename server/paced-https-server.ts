import { constants } from 'node:crypto'
import type { Socket } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import { HttpsServer, type HttpsServerOptions } from './http/web/https-server.ts'
import type { Listener } from './http/web/response.ts'
import { countedAddress, unmapped } from './http/web/request.ts'

/** The first byte of every record of a handshake. */
const handshakeRecord = 0x16
const recordHeaderBytes = 5
/** Type and length in front of a hello. */
const messageHeaderBytes = 4
/** What is larger is handed on as it comes: a usual hello has half a KB to two. */
const mostHelloBytes = 16 * 1024

/** TLS 1.2 would let each connection ask for more handshakes, which nobody here needs and which have no turn. */
const handshakeOnce = (context: SecureContextOptions) => ({
  ...context,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
})

/** Whether all of a hello is there, in however many records, or what is there is none. */
function isWholeHello(bytes: Buffer): boolean {
  const parts: Buffer[] = []
  for (let at = 0; at + recordHeaderBytes <= bytes.length;) {
    if (bytes[at] !== handshakeRecord) {
      return true
    }
    const begin = at + recordHeaderBytes
    at = begin + bytes.readUInt16BE(at + 3)
    parts.push(bytes.subarray(begin, at))
  }
  const message = Buffer.concat(parts)
  return message.length >= messageHeaderBytes && message.length >= messageHeaderBytes + message.readUIntBE(1, 3)
}

/**
 * Begins handshakes in turns, one address after the other. A hello costs its sender nothing and this process 1 to 2 ms:
 * of thousands that arrive together, each would keep all who are connected already from being answered (T20).
 */
export class PacedHttpsServer extends HttpsServer {
  /** Sockets that nothing was begun for yet. */
  readonly #waiting = new Set<Socket>()
  /** What begins those whose hello has come, by the address that they count for: whoever had a turn goes to the end. */
  readonly #ready = new Map<string, (() => void)[]>()
  readonly #handshakeMs: number
  #isBeginning = false

  constructor(options: HttpsServerOptions, listener: Listener) {
    super({ ...options, context: handshakeOnce(options.context) }, listener)
    this.#handshakeMs = options.handshakeMs
    const listeners = this.listeners('connection')
    this.removeAllListeners('connection')
    this.on('connection', (socket: Socket) =>
      this.#collect(socket, () => listeners.forEach((begin): unknown => begin.call(this, socket))),
    )
  }

  override show(context: SecureContextOptions): void {
    super.show(handshakeOnce(context))
  }

  override closeEarlyConnections(): void {
    super.closeEarlyConnections()
    this.#waiting.forEach((socket) => socket.destroy())
  }

  /** Waits for all of a hello, which could come in pieces and have its price paid out of turn, and leaves it as it came. */
  #collect(socket: Socket, begin: () => void): void {
    let bytes: Buffer = Buffer.alloc(0)
    const drop = () => socket.destroy()
    const timer = setTimeout(drop, this.#handshakeMs).unref()
    const forget = () => {
      clearTimeout(timer)
      this.#waiting.delete(socket)
    }
    const read = (chunk: Buffer) => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
      const isTls = bytes[0] === handshakeRecord
      if (isTls && bytes.length < mostHelloBytes && !isWholeHello(bytes)) {
        return
      }
      socket.off('data', read)
      socket.pause()
      socket.unshift(bytes)
      const handOn = () => {
        socket.off('error', drop)
        socket.off('close', forget)
        forget()
        begin()
        socket.resume()
      }
      if (isTls) {
        this.#enqueue(countedAddress(unmapped(socket.remoteAddress ?? '')), () => !socket.destroyed && handOn())
      } else {
        handOn()
      }
    }
    this.#waiting.add(socket)
    socket.on('close', forget)
    socket.on('error', drop)
    socket.on('data', read)
  }

  #enqueue(address: string, begin: () => void): void {
    const others = this.#ready.get(address)
    if (others) {
      others.push(begin)
    } else {
      this.#ready.set(address, [begin])
    }
    if (!this.#isBeginning) {
      this.#isBeginning = true
      setImmediate(() => this.#beginNext())
    }
  }

  /** One in each turn of the event loop, in which all others have theirs. */
  #beginNext(): void {
    this.#next()?.()
    this.#isBeginning = this.#ready.size > 0
    if (this.#isBeginning) {
      setImmediate(() => this.#beginNext())
    }
  }

  #next(): (() => void) | undefined {
    for (const [address, begins] of this.#ready) {
      this.#ready.delete(address)
      const first = begins.shift()
      if (begins.length > 0) {
        this.#ready.set(address, begins)
      }
      return first
    }
    return undefined
  }
}
