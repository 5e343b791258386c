import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import { countedAddress, unmapped } from './request.ts'

export interface SocketLimits {
  /** Open sockets of all peers, upgraded ones included. */
  total: number
  /** Of one address, as `countedAddress` counts. */
  ofAddress(address: string): number
}

/** Time to read the refusal. */
const refusalMs = 1_000

const refusal = (text: string) =>
  'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n' +
  `Retry-After: 10\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`

function refuse(socket: Socket, isPlain: boolean, text: string) {
  socket.on('error', () => {})
  if (!isPlain) {
    // A handshake is what the limit saves; without one nothing can be said.
    socket.destroy()
    return
  }
  // What the peer sends is read and dropped: closing over unread bytes would take the answer back.
  socket.resume()
  socket.end(refusal(text))
  const timer = setTimeout(() => socket.destroy(), refusalMs).unref()
  socket.once('close', () => clearTimeout(timer))
}

/**
 * Counts the open sockets of all servers that it is given. One above a limit is answered 503 before anything of it is
 * read, so that one address cannot take all places, and all together not all file handles of the process. With TLS it is
 * dropped.
 */
export function createSocketGate({ total, ofAddress }: SocketLimits): (server: Server | TlsServer) => void {
  const byAddress = new Map<string, number>()
  let open = 0

  const admit = (socket: Socket, isPlain: boolean): boolean => {
    const address = unmapped(socket.remoteAddress ?? '')
    const counted = countedAddress(address)
    const count = byAddress.get(counted) ?? 0
    if (open >= total) {
      refuse(socket, isPlain, 'Too many connections are open. Try again later.\n')
      return false
    }
    if (count >= ofAddress(address)) {
      refuse(socket, isPlain, 'Too many connections of your address are open. Close some.\n')
      return false
    }
    open++
    byAddress.set(counted, count + 1)
    socket.once('close', () => {
      open--
      const left = byAddress.get(counted)! - 1
      if (left === 0) {
        byAddress.delete(counted)
      } else {
        byAddress.set(counted, left)
      }
    })
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
