import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import type { Config } from '../config.ts'
import { HttpsServer } from '../http/web/https-server.ts'
import type { Listener } from '../http/web/response.ts'
import { HttpServer } from '../http/web/http-server.ts'
import { isEveryInterface } from '../machine.ts'

export type ListenAddress = Config['urls'][number]

/** Time for a whole request to arrive, and for its headers: a peer that sends slowly is disconnected. */
const limits = {
  requestTimeout: 60_000,
  headersTimeout: 15_000,
  /** How often requests over the limit are looked for. */
  connectionsCheckingInterval: 5_000,
}
const handshakeMs = 15_000

/** What answers at an address. */
export interface Answering {
  handler: Listener
  /** Gets each server before it accepts anything. */
  prepare(server: HttpServer | HttpsServer): void
  /** Answers plain requests on a port for TLS. */
  onPlain: RequestListener
}

/** Why an address cannot be opened. */
export function explainListening(error: NodeJS.ErrnoException, { host, port }: ListenAddress): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port}${host === '*' ? '' : ` on ${host}`} is taken by another program.`
    case 'EACCES':
      return `This user may not listen on port ${port}.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is no address of this machine.`
    default:
      return `Cannot listen on ${host}:${port}: ${error.message}`
  }
}

/** Host for `listen`: undefined takes every interface. */
const bindHost = (host: string) => (host === '*' ? undefined : host)

/** The address as people type it. */
export function urlOf({ scheme, host, port }: ListenAddress): string {
  const shown = isEveryInterface(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `${scheme}://${shown}:${port}`
}

/** Opens one address; resolves with the server and its real port. Rejects with the error of the system. */
export async function listen(
  address: ListenAddress,
  { handler, prepare, onPlain }: Answering,
  context: SecureContextOptions,
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

/** While a server closes, a connection ends with its answer: ever new requests on it would keep the server alive. */
function closeAfterAnswers(server: HttpServer | HttpsServer): void {
  server.on('request', ({ socket }, response) => {
    response.once('close', () => {
      if (!server.listening) {
        socket.end()
      }
    })
  })
}

/** Stops accepting and waits for the requests that run. */
export async function stopListening(server: HttpServer | HttpsServer): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  if (server instanceof HttpsServer) {
    server.closeEarlyConnections()
  }
  await closed
}
