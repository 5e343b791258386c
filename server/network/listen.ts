import { once } from 'node:events'
import type { RequestListener, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import type { Config } from '../settings/config.ts'
import { HttpsServer } from '../engines/http/web/https-server.ts'
import type { Listener } from '../engines/http/web/response.ts'
import { HttpServer, requestLimits } from '../engines/http/web/http-server.ts'
import { isEveryInterface } from '../ground/machine.ts'

export type ListenAddress = Config['urls'][number]

const handshakeMs = 15_000

export interface Handlers {
  handler: Listener
  /** Called with each server before it accepts connections. */
  prepare(server: HttpServer | HttpsServer): void
  /** Answers requests without TLS on a TLS port. */
  onPlain: RequestListener
}

/** Explains why an address cannot be opened. */
export function explainListening(error: NodeJS.ErrnoException, { host, port }: ListenAddress): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port}${host === '*' ? '' : ` on ${host}`} is in use by another program.`
    case 'EACCES':
      return `This user is not permitted to listen on port ${port}.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this machine.`
    default:
      return `Cannot listen on ${host}:${port}: ${error.message}`
  }
}

/** Host for `listen`: undefined means every interface. */
const bindHost = (host: string) => (host === '*' ? undefined : host)

/** The address as typed in a browser. */
export function urlOf({ scheme, host, port }: ListenAddress): string {
  const shown = isEveryInterface(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `${scheme}://${shown}:${port}`
}

/** Opens one address; resolves with the server and its actual port. Rejects with the system's error. */
export async function listen(
  address: ListenAddress,
  { handler, prepare, onPlain }: Handlers,
  context: SecureContextOptions,
  limits = requestLimits,
): Promise<{ server: HttpServer | HttpsServer; port: number }> {
  const server =
    address.scheme === 'https'
      ? new HttpsServer({ ...limits, handshakeMs, context, onPlain }, handler)
      : new HttpServer(limits, handler)
  prepare(server)
  closeAfterAnswers(server)
  server.listen({ port: address.port, host: bindHost(address.host) })
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

/** Responses that a server has not finished. */
const unfinished = new WeakMap<HttpServer | HttpsServer, Set<ServerResponse>>()

/**
 * Closes each connection of a closing server after its response: further requests would keep the server alive. The
 * response says so, because the client would lose a request that it sends at the same moment.
 */
function closeAfterAnswers(server: HttpServer | HttpsServer): void {
  const responses = new Set<ServerResponse>()
  unfinished.set(server, responses)
  server.prependListener('request', ({ socket }, response) => {
    responses.add(response)
    response.shouldKeepAlive &&= server.listening
    response.once('close', () => {
      responses.delete(response)
      if (!server.listening) {
        socket.end()
      }
    })
  })
}

/** Stops accepting and waits for the running requests. */
export async function stopListening(server: HttpServer | HttpsServer): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  unfinished.get(server)?.forEach((response) => (response.shouldKeepAlive = false))
  server.closeIdleConnections()
  if (server instanceof HttpsServer) {
    server.closeEarlyConnections()
  }
  await closed
}
