import { Server, type IncomingMessage, type ServerOptions, type ServerResponse } from 'node:http'
import { setDefaultHighWaterMark, type Duplex } from 'node:stream'
import { endUnread } from './unread-bodies.ts'
import { Response, type Listener } from './response.ts'
import { offersWebSocket } from './upgrade.ts'

// A paused socket is read up to this limit, with `joinSmallChunks` beside it. So is a request, each of whose chunks of one
// byte takes 220 bytes of heap and as many of memory around it. Only this function reaches TLS sockets.
setDefaultHighWaterMark(false, 16 * 1024)

/** Time limits of a whole request and of its headers: slow senders are disconnected. */
export const requestLimits = {
  requestTimeout: 60_000,
  headersTimeout: 15_000,
  // Longer than most clients keep a connection: a client that reuses a connection as it closes must send again.
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 5_000,
}

/** Connections whose current request may arrive slowly. */
const slowAllowed = new WeakSet<Duplex>()

/** Lifts the time limit of a request until it is answered; its reader has another limit. */
export function allowSlowBody({ socket }: IncomingMessage, response: ServerResponse): void {
  slowAllowed.add(socket)
  response.once('close', () => slowAllowed.delete(socket))
}

/** True if a server event reports a slow request that `allowSlowBody` permitted. */
export function isAllowedSlow(event: string, args: readonly unknown[]): boolean {
  const [error, socket] = args as [NodeJS.ErrnoException?, Duplex?]
  return (
    event === 'clientError' &&
    error?.code === 'ERR_HTTP_REQUEST_TIMEOUT' &&
    socket !== undefined &&
    slowAllowed.has(socket)
  )
}

/** Node's server with our Response class. Ends a slow request, unless `allowSlowBody` permitted the request. */
export class HttpServer extends Server<typeof IncomingMessage, typeof Response> {
  constructor(options: ServerOptions, listener: Listener) {
    super({ ...options, shouldUpgradeCallback: offersWebSocket, ServerResponse: Response }, endUnread(listener))
  }

  override emit(event: string, ...args: unknown[]): boolean {
    return isAllowedSlow(event, args) || super.emit(event, ...(args as []))
  }
}
