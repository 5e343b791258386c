import { randomUUID } from 'node:crypto'
import {
  ServerResponse,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type RequestListener,
} from 'node:http'

export const requestIdHeader = 'x-request-id'

/** Alternating names and values. */
export type HeaderList = readonly string[]

/** Shorter responses fit into a packet anyway, and compressing them takes longer than all the rest. */
const minCompressedBytes = 1024

export interface Head {
  status: number
  headers: string[]
}

const listOf = (headers: OutgoingHttpHeaders | OutgoingHttpHeader[]) =>
  Array.isArray(headers) ? headers : Object.entries(headers).flatMap(([name, value]) => [name, value ?? ''])

/** Resolves when the client has read enough to write more, or has disconnected. */
export const ready = (response: ServerResponse) =>
  new Promise<void>((resolve) => {
    const settle = () => {
      drains.off('drain', settle)
      response.off('close', settle)
      resolve()
    }
    // A compressed response drains as another stream, which `on` returns.
    const drains = response.on('drain', settle)
    response.on('close', settle)
    if (response.destroyed) {
      settle()
    }
  })

/**
 * A response with prepared headers. Node sends a list of headers directly, but stores and looks up each header set by
 * name.
 */
export class Response extends ServerResponse {
  #requestId: string | undefined
  #standing: HeaderList = []
  #compress: (() => void) | undefined

  /** Id of a request, sent with failures. Static, because Express replaces the prototype of responses. */
  static requestIdOf(response: Response): string {
    return (response.#requestId ??= randomUUID())
  }

  /** Sets how a long response is compressed; without it responses are sent as they are. */
  compressBy(compress: () => void): void {
    this.#compress = compress
  }

  /** Compresses a response of `bytes` bytes, unless that is not worth its time. Called before `writeHead`. */
  compress(bytes = Infinity): void {
    if (bytes >= minCompressedBytes) {
      this.#compress?.()
    }
  }

  /** Adds headers whose names are not set anywhere else. */
  addStanding(...headers: HeaderList): void {
    this.#standing = this.#standing.length === 0 ? headers : [...this.#standing, ...headers]
  }

  override writeHead(
    status: number,
    reason?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
    headers?: OutgoingHttpHeaders | OutgoingHttpHeader[],
  ): this {
    // HTTP/1.1 keeps connections open by default.
    if (this.shouldKeepAlive && this.req.httpVersionMinor === 1) {
      this.removeHeader('connection')
    }
    const given = typeof reason === 'string' ? headers : (reason ?? headers)
    const list = given ? [...this.#standing, ...listOf(given)] : [...this.#standing]
    return typeof reason === 'string' ? super.writeHead(status, reason, list) : super.writeHead(status, list)
  }
}

export type Listener = RequestListener<typeof IncomingMessage, typeof Response>
