import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import type { Clock } from '../../../ground/clock.ts'
import { AddressCounts, type AddressCount } from '../../flow/address-counts.ts'
import { countedAddress, unmapped } from './remote-address.ts'

export interface SocketLimits {
  /** Open sockets in total, including upgraded sockets. */
  total: number
  /** Open sockets per address, as counted by `countedAddress`. */
  ofAddress(address: string): number
}

/** Time for the peer to read the rejection. */
const refusalMs = 1_000

const refusal = (text: string) =>
  'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n' +
  `Retry-After: 10\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`

function refuse(socket: Socket, isPlain: boolean, text: string) {
  socket.on('error', () => {})
  if (!isPlain) {
    // The limit exists to save handshakes; without a handshake no response can be sent.
    socket.destroy()
    return
  }
  // Further input is discarded: closing with unread bytes would discard the response.
  socket.resume()
  socket.end(refusal(text))
  const timer = setTimeout(() => socket.destroy(), refusalMs).unref()
  socket.once('close', () => clearTimeout(timer))
}

/**
 * Limits the open sockets of all given servers. A socket above a limit is answered 503 before any of its input is read,
 * so that one address cannot use all connections, and all addresses together cannot exhaust file handles. With TLS such
 * a socket is dropped.
 */
export class SocketGate {
  readonly #limits: SocketLimits
  readonly #clock: Clock
  readonly #byAddress = new AddressCounts()
  /** Open sockets with their counted addresses. */
  readonly #admitted = new Map<Socket, string>()
  /** The last rejection, in ms since 1970; with an address whose own limit was reached. */
  lastRefusal: { at: number; address: string | undefined } | undefined

  constructor(limits: SocketLimits, clock: Clock) {
    this.#limits = limits
    this.#clock = clock
  }

  get open(): number {
    return this.#admitted.size
  }

  /** Address that is closest to its limit. */
  get nearest(): AddressCount | undefined {
    return this.#byAddress.nearest
  }

  guard(server: Server | TlsServer): void {
    const serve = server.listeners('connection') as ((socket: Socket) => void)[]
    server.removeAllListeners('connection')
    const isPlain = !(server instanceof TlsServer)
    // A shared function: separate closures for thousands of connections would use much memory.
    const forget = this.#forget
    function closed(this: Socket) {
      forget(this)
    }
    server.on('connection', (socket: Socket) => {
      if (this.#admit(socket, isPlain)) {
        socket.on('close', closed)
        serve.forEach((listener) => listener.call(server, socket))
      }
    })
  }

  #admit(socket: Socket, isPlain: boolean): boolean {
    const address = unmapped(socket.remoteAddress ?? '')
    const counted = countedAddress(address)
    if (this.#admitted.size >= this.#limits.total) {
      this.#refuse(socket, isPlain, undefined, 'Too many connections are open. Try again later.\n')
      return false
    }
    const limit = this.#limits.ofAddress(address)
    if (this.#byAddress.of(counted) >= limit) {
      this.#refuse(socket, isPlain, address, 'Too many open connections from your address. Close some.\n')
      return false
    }
    this.#admitted.set(socket, counted)
    this.#byAddress.add(counted, limit)
    return true
  }

  #refuse(socket: Socket, isPlain: boolean, address: string | undefined, text: string): void {
    this.lastRefusal = { at: this.#clock.now(), address }
    refuse(socket, isPlain, text)
  }

  readonly #forget = (socket: Socket): void => {
    this.#byAddress.remove(this.#admitted.get(socket)!)
    this.#admitted.delete(socket)
  }
}
