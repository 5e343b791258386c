import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Config } from './config.ts'
import type { Listener } from './http/web/response.ts'
import { HttpServer } from './http/web/slow-bodies.ts'
import { StartError } from './start-error.ts'

type ListenAddress = Config['urls'][number]

/** Time for a whole request to arrive, and for its headers: a peer that sends slowly is disconnected. */
const requestTimeoutMs = 60_000
const headersTimeoutMs = 15_000

/** How often requests over the limit are looked for. */
const timeoutCheckMs = 5_000

function explain(error: NodeJS.ErrnoException, { host, port }: ListenAddress): StartError {
  switch (error.code) {
    case 'EADDRINUSE':
      return new StartError(
        `Port ${port} on ${host} is taken by another program. Stop that one, or set Service_Urls to another port.`,
      )
    case 'EACCES':
      return new StartError(`This user may not listen on port ${port}. Set Service_Urls to a port above 1023.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartError(`${host} is no address of this machine. Correct Service_Urls.`)
    default:
      return new StartError(`Cannot listen on ${host}:${port}: ${error.message}`)
  }
}

/** Host for `listen`: undefined takes every interface. */
const bindHost = (host: string) => (host === '*' ? undefined : host.replace(/^\[|\]$/g, ''))

/** The address as people type it; the port is the real one when 0 was asked for. */
function urlOf(address: ListenAddress, server: HttpServer): string {
  const { port } = server.address() as AddressInfo
  const host =
    address.host === '*' || address.host === '0.0.0.0' || address.host === '[::]' ? 'localhost' : address.host
  return `${address.scheme}://${host}:${port}`
}

/** Opens one address; `prepare` gets the server before it accepts anything. */
export async function listen(
  address: ListenAddress,
  handler: Listener,
  prepare: (server: HttpServer) => void,
): Promise<{ server: HttpServer; url: string }> {
  if (address.scheme === 'https') {
    throw new StartError('https addresses are not served by this version. Use an http address in Service_Urls.')
  }
  const server = new HttpServer(
    { requestTimeout: requestTimeoutMs, headersTimeout: headersTimeoutMs, connectionsCheckingInterval: timeoutCheckMs },
    handler,
  )
  prepare(server)
  server.listen({ port: address.port, host: bindHost(address.host) })
  try {
    await once(server, 'listening')
  } catch (error) {
    throw explain(error as NodeJS.ErrnoException, address)
  }
  return { server, url: urlOf(address, server) }
}

/** Stops accepting and waits for the requests that run. */
export async function stopListening(server: HttpServer): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  await closed
}
