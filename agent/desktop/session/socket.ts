import { WebSocket } from 'ws'
import type { MessageSocket } from '../../../shared/remote-control/channel.ts'
import type { Clock } from '../../base/clock.ts'
import { ServerProof } from '../../trust/server-proof.ts'
import { TrustedAgent } from '../../trust/trusted-agent.ts'
import type { SessionRequest } from './request.ts'

export interface OpenSocket extends MessageSocket {
  /** Starts receiving. `onClose` is called once, with a sentence. */
  start(onMessage: (bytes: Uint8Array) => void, onClose: (reason: string) => void): void
}

/** Limit for one message: viewers send short messages; the longest is clipboard text. */
const maxPayload = 16 * 1024 * 1024
/** Handshake timeout: the server answers only after the viewer has connected. */
const handshakeTimeout = 60_000
const pingMs = 30_000
const closeMs = 1000

/** Opens the device's end of a session. Resolves when the viewer is connected; rejects with the reason otherwise. */
export async function openSocket(
  { websocketUri, server }: Pick<SessionRequest, 'websocketUri' | 'server'>,
  clock: Clock,
  signal: AbortSignal,
): Promise<OpenSocket> {
  signal.throwIfAborted()
  const proof = server && new ServerProof({ trusted: server, clock })
  const socket = new WebSocket(websocketUri, {
    ...(proof && { agent: new TrustedAgent((origin) => proof.connect(origin, signal)) }),
    perMessageDeflate: false,
    maxPayload,
    handshakeTimeout,
  })
  const giveUp = () => socket.terminate()
  signal.addEventListener('abort', giveUp)
  return await new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.once('unexpected-response', (request, { statusCode }) => {
      request.destroy()
      reject(new Error(statusCode === 408 ? 'the viewer did not connect' : `the server answered ${statusCode}`))
    })
    socket.once('open', () => {
      signal.removeEventListener('abort', giveUp)
      socket.pause()
      resolve(opened(socket, clock))
    })
  })
}

function opened(socket: WebSocket, clock: Clock): OpenSocket {
  let unanswered = 0
  const isAlive = () => {
    unanswered = 0
  }
  // Unanswered pings detect a connection that was cut without a close frame.
  const cancelPings = clock.every(pingMs, () => {
    if (unanswered === 2) {
      socket.terminate()
    } else {
      unanswered++
      socket.ping()
    }
  })
  socket.on('pong', isAlive)
  return {
    start(onMessage, onClose) {
      socket.on('message', (bytes: Buffer) => {
        isAlive()
        onMessage(bytes)
      })
      socket.once('close', (code) => {
        cancelPings()
        onClose(code === 1000 ? 'The other side closed the connection.' : 'The connection was lost.')
      })
      socket.resume()
    },
    send: (bytes, onSent) => socket.send(bytes, onSent),
    close(isBroken) {
      cancelPings()
      if (isBroken) {
        socket.terminate()
      } else {
        socket.close(1000, 'Connection closed.')
        clock.after(closeMs, () => socket.terminate())
      }
    },
  }
}
