import { STATUS_CODES, type IncomingMessage } from 'node:http'
import type { Server } from 'node:net'
import type { Duplex } from 'node:stream'
import { toProblem } from '../../../ground/errors.ts'
import type { Log } from '../../../ground/log.ts'
import { pathOf } from './request.ts'
import type { Response } from './response.ts'

/** A path prefix with a dedicated handler: a hub, the relay, a link. */
export interface Endpoint {
  path: string
  /** The only names below the path; any if left out. */
  below?: readonly string[]
  /** True for a request that gets the single page instead, which has a route of the same path. */
  isPage?(request: IncomingMessage): boolean
  request(request: IncomingMessage, response: Response): void | Promise<void>
  /** Handles upgrades; without this method upgrades are rejected. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void | Promise<void>
}

/** Finds the endpoint of a path; letter case and a trailing slash are ignored. */
export function endpointFor(endpoints: readonly Endpoint[], path: string): Endpoint | undefined {
  const lower = path.toLowerCase().replace(/\/$/, '')
  return endpoints.find(
    ({ path: own, below }) =>
      lower === own || (lower.startsWith(`${own}/`) && (below?.includes(lower.slice(own.length + 1)) ?? true)),
  )
}

/** True for an offer of WebSocket. A server ignores any other, such as `h2c` of Java's client and of curl (RFC 9110 section 7.8). */
export const offersWebSocket = ({ headers: { upgrade = '' } }: IncomingMessage): boolean =>
  upgrade.split(',').some((protocol) => protocol.trim().toLowerCase() === 'websocket')

/** Rejects an upgrade with a plain HTTP response and closes the socket. */
export function refuseUpgrade(socket: Duplex, status: number): void {
  const reason = STATUS_CODES[status] ?? ''
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n`,
  )
}

/** Errors of a peer that disconnects, which need no handling. */
const expectedErrors = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT', 'ERR_STREAM_WRITE_AFTER_END'])

export interface UpgradeOptions {
  endpoints: readonly Endpoint[]
  log: Log
  /** Stops the parsing of requests. Returns the input behind the piece that was parsed last. */
  detach(socket: Duplex): Buffer
}

/** The only `upgrade` listener: an unknown path is rejected, a failed upgrade gets its status, and no socket stays open. */
export function listenForUpgrades(server: Server, { endpoints, log, detach }: UpgradeOptions): void {
  // A shared function: a closure per socket would keep its request in memory as long as the socket.
  const failed = (error: NodeJS.ErrnoException) => {
    if (!expectedErrors.has(error.code ?? '')) {
      log.warn({ err: error }, 'An upgraded socket failed.')
    }
  }
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, first: Buffer) => {
    socket.on('error', failed)
    const head = Buffer.concat([first, detach(socket)])
    const endpoint = endpointFor(endpoints, pathOf(request))
    if (!endpoint?.upgrade) {
      refuseUpgrade(socket, 404)
      return
    }
    Promise.resolve()
      .then(() => endpoint.upgrade!(request, socket, head))
      .catch((error: unknown) => {
        const problem = toProblem(error, '')
        if (problem.status === 500) {
          log.error({ err: error }, 'An upgrade failed unexpectedly.')
        }
        refuseUpgrade(socket, problem.status)
      })
  })
}
