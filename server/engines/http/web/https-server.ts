import { constants } from 'node:crypto'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server as HttpServer,
  type ServerOptions,
} from 'node:http'
import { Server } from 'node:https'
import type { Socket } from 'node:net'
import type { SecureContextOptions, TlsOptions, TLSSocket } from 'node:tls'
import { countedAddress, unmapped } from './remote-address.ts'
import { offersWebSocket } from './upgrade.ts'
import { endUnread } from './unread-bodies.ts'
import { Response, type Listener } from './response.ts'
import { isAllowedSlow } from './http-server.ts'
import { FairQueue } from '../../flow/fair-queue.ts'

/** First byte of every handshake record, and so of every TLS connection. */
const handshakeRecord = 0x16
const recordHeaderBytes = 5
/** Type and length before a hello. */
const messageHeaderBytes = 4
/** Maximum size of an unfinished hello; a typical hello has 0.5 to 2 KB. */
const mostBytes = 16 * 1024

/** True if a connection begins with TLS, by its first bytes. */
const isTls = (bytes: Buffer) => bytes[0] === handshakeRecord

/** Finds the end of a client hello. Each record is read once: thousands of tiny ones may arrive byte by byte. */
class HelloRecords {
  readonly #header = Buffer.alloc(messageHeaderBytes)
  /** Start of the first incomplete record. */
  #at = 0
  /** Bytes of the message in the complete records. */
  #length = 0

  /** True if the hello is complete, or the bytes are not a hello. `bytes`: all input so far. */
  isWhole(bytes: Buffer): boolean {
    while (this.#at + recordHeaderBytes <= bytes.length) {
      if (bytes[this.#at] !== handshakeRecord) {
        return true
      }
      const begin = this.#at + recordHeaderBytes
      const end = begin + bytes.readUInt16BE(begin - 2)
      bytes.copy(this.#header, Math.min(this.#length, messageHeaderBytes), begin, end)
      const length = this.#length + Math.min(end, bytes.length) - begin
      if (length >= messageHeaderBytes && length >= messageHeaderBytes + this.#header.readUIntBE(1, 3)) {
        return true
      }
      if (end > bytes.length) {
        return false
      }
      this.#at = end
      this.#length = length
    }
    return false
  }
}

/**
 * The strongest of Node's default ciphers: all have forward secrecy and authenticated encryption. Every browser and
 * every agent platform supports several.
 */
const strong = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'TLS_AES_128_GCM_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
  // TLS 1.2 would let each connection request more handshakes, which no client needs and which bypass the fair queue.
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  /** Lifetime of a session ticket, in seconds. */
  sessionTimeout: 24 * 60 * 60,
} satisfies TlsOptions

const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`

export interface HttpsServerOptions extends ServerOptions {
  context: SecureContextOptions
  /** Time limit for the hello and its queueing, again for the handshake, and for a whole connection without TLS. */
  handshakeMs: number
  /** Answers requests without TLS. */
  onPlain: RequestListener
}

/**
 * Node's server over TLS with our Response class. Another listener answers requests without TLS on its port. Handshakes
 * wait in a fair queue, one per tick: each costs us 1–2 ms and the client nothing, so thousands at once would block all
 * established connections (T20).
 */
export class HttpsServer extends Server<typeof IncomingMessage, typeof Response> {
  readonly plain: HttpServer
  /** Sockets before the end of their handshake, or without TLS. */
  readonly #early = new Map<string, { socket: Socket; forget: () => void }>()
  readonly #handshakeMs: number
  readonly #queue = new FairQueue()

  constructor({ context, onPlain, handshakeMs, ...options }: HttpsServerOptions, listener: Listener) {
    super(
      {
        ...options,
        ...strong,
        ...context,
        handshakeTimeout: handshakeMs,
        shouldUpgradeCallback: offersWebSocket,
        ServerResponse: Response,
      },
      endUnread(listener),
    )
    this.#handshakeMs = handshakeMs
    this.plain = createServer(onPlain)
    const [beginTls] = this.listeners('connection')
    this.removeAllListeners('connection')
    this.on('connection', (socket: Socket) =>
      this.#peek(socket, (isSecure) => {
        if (isSecure) {
          beginTls?.call(this, socket)
          return
        }
        const timer = setTimeout(() => socket.destroy(), handshakeMs).unref()
        socket.once('close', () => clearTimeout(timer))
        this.plain.emit('connection', socket)
        socket.resume()
      }),
    )
    this.on('secureConnection', (socket: TLSSocket) => {
      const early = this.#early.get(nameOf(socket))
      early?.socket.off('close', early.forget)
      early?.forget()
    })
  }

  /** Serves another certificate from the next connection on. */
  show(context: SecureContextOptions): void {
    this.setSecureContext({ ...strong, ...context })
  }

  /** Drops connections that are not ready for requests. */
  closeEarlyConnections(): void {
    this.#early.forEach(({ socket }) => socket.destroy())
  }

  override emit(event: string, ...args: unknown[]): boolean {
    return isAllowedSlow(event, args) || super.emit(event, ...(args as []))
  }

  /**
   * Detects whether a connection begins with TLS, without consuming its bytes. With TLS, waits for the whole hello; a
   * fragmented hello would otherwise be processed outside the fair queue.
   */
  #peek(socket: Socket, decided: (isSecure: boolean) => void): void {
    const name = nameOf(socket)
    const address = countedAddress(unmapped(socket.remoteAddress ?? ''))
    const drop = () => socket.destroy()
    const timer = setTimeout(drop, this.#handshakeMs).unref()
    const forget = () => {
      clearTimeout(timer)
      this.#early.delete(name)
    }
    this.#early.set(name, { socket, forget })
    const decide = (isSecure: boolean) => {
      clearTimeout(timer)
      socket.off('error', drop)
      decided(isSecure)
    }
    let bytes: Buffer = Buffer.alloc(0)
    const records = new HelloRecords()
    const read = (chunk: Buffer) => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
      const isSecure = isTls(bytes)
      if (isSecure && !records.isWhole(bytes)) {
        // Given to Node, its rest would begin a handshake that no place in the queue was given for.
        if (bytes.length >= mostBytes) {
          drop()
        }
        return
      }
      socket.off('data', read)
      socket.pause()
      socket.unshift(bytes)
      if (isSecure) {
        this.#queue.add(address, () => !socket.destroyed && decide(true))
      } else {
        decide(false)
      }
    }
    socket.on('close', forget)
    socket.on('error', drop)
    socket.on('data', read)
  }
}
