import { createServer, type IncomingMessage, type RequestListener, type ServerOptions } from 'node:http'
import { Server } from 'node:https'
import type { Socket } from 'node:net'
import type { SecureContextOptions, TlsOptions, TLSSocket } from 'node:tls'
import { inTurn } from './pipelined.ts'
import { endUnread } from './unread-bodies.ts'
import { Response, type Listener } from './response.ts'
import { isForgiven } from './slow-bodies.ts'

/** The first byte of every TLS connection: a record of the handshake. */
const handshakeRecord = 0x16

/**
 * Of Node's own choice the strongest: all of them agree on a new key for each connection, and none can be changed on its
 * way. Every browser and every system that an agent is for knows several.
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
  /** For how long a connection may be taken up again with a ticket, in seconds. */
  sessionTimeout: 24 * 60 * 60,
} satisfies TlsOptions

const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`

export interface HttpsServerOptions extends ServerOptions {
  context: SecureContextOptions
  /** Time for the first byte, again for the handshake, and for all of a connection without TLS. */
  handshakeMs: number
  /** Answers requests that came without TLS. */
  onPlain: RequestListener
}

/** Node's server over TLS with our responses. Requests without TLS on its port are answered by another listener. */
export class HttpsServer extends Server<typeof IncomingMessage, typeof Response> {
  /** Sockets that have not finished their handshake, or speak no TLS. */
  readonly #early = new Map<string, { socket: Socket; forget: () => void }>()
  readonly #handshakeMs: number

  constructor({ context, onPlain, handshakeMs, ...options }: HttpsServerOptions, listener: Listener) {
    super(
      { ...options, ...strong, ...context, handshakeTimeout: handshakeMs, ServerResponse: Response },
      inTurn(endUnread(listener)),
    )
    this.#handshakeMs = handshakeMs
    const plain = createServer(onPlain)
    const [beginTls] = this.listeners('connection')
    this.removeAllListeners('connection')
    this.on('connection', (socket: Socket) =>
      this.#peek(socket, (isTls) => {
        if (isTls) {
          beginTls?.call(this, socket)
          return
        }
        const timer = setTimeout(() => socket.destroy(), handshakeMs).unref()
        socket.once('close', () => clearTimeout(timer))
        plain.emit('connection', socket)
        socket.resume()
      }),
    )
    this.on('secureConnection', (socket: TLSSocket) => {
      const early = this.#early.get(nameOf(socket))
      early?.socket.off('close', early.forget)
      early?.forget()
    })
  }

  /** Shows another certificate from the next connection on. */
  show(context: SecureContextOptions): void {
    this.setSecureContext({ ...strong, ...context })
  }

  /** Drops connections that are not ready for requests. */
  closeEarlyConnections(): void {
    this.#early.forEach(({ socket }) => socket.destroy())
  }

  override emit(event: string, ...args: unknown[]): boolean {
    return isForgiven(event, args) || super.emit(event, ...(args as []))
  }

  /** Tells whether a connection begins with TLS, and leaves it as it came. */
  #peek(socket: Socket, decided: (isTls: boolean) => void): void {
    const name = nameOf(socket)
    const forget = () => void this.#early.delete(name)
    this.#early.set(name, { socket, forget })
    socket.on('close', forget)
    const drop = () => socket.destroy()
    socket.on('error', drop)
    socket.setTimeout(this.#handshakeMs, drop)
    socket.once('data', (chunk: Buffer) => {
      socket.off('error', drop)
      socket.off('timeout', drop)
      socket.setTimeout(0)
      socket.pause()
      socket.unshift(chunk)
      decided(chunk[0] === handshakeRecord)
    })
  }
}
