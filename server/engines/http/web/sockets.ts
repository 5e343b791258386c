import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import { countedAddress, unmapped } from './request.ts'

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
export function createSocketGate({ total, ofAddress }: SocketLimits): (server: Server | TlsServer) => void {
  const byAddress = new Map<string, number>()
  /** Open sockets with their counted addresses. */
  const admitted = new Map<Socket, string>()

  // A shared function: separate closures for thousands of connections would use much memory.
  function forget(this: Socket) {
    const counted = admitted.get(this)!
    const left = byAddress.get(counted)! - 1
    admitted.delete(this)
    if (left === 0) {
      byAddress.delete(counted)
    } else {
      byAddress.set(counted, left)
    }
  }

  const admit = (socket: Socket, isPlain: boolean): boolean => {
    const address = unmapped(socket.remoteAddress ?? '')
    const counted = countedAddress(address)
    const count = byAddress.get(counted) ?? 0
    if (admitted.size >= total) {
      refuse(socket, isPlain, 'Too many connections are open. Try again later.\n')
      return false
    }
    if (count >= ofAddress(address)) {
      refuse(socket, isPlain, 'Too many open connections from your address. Close some.\n')
      return false
    }
    admitted.set(socket, counted)
    byAddress.set(counted, count + 1)
    socket.on('close', forget)
    return true
  }

  return (server) => {
    const serve = server.listeners('connection') as ((socket: Socket) => void)[]
    server.removeAllListeners('connection')
    const isPlain = !(server instanceof TlsServer)
    server.on('connection', (socket: Socket) => {
      if (admit(socket, isPlain)) {
        serve.forEach((listener) => listener.call(server, socket))
      }
    })
  }
}
