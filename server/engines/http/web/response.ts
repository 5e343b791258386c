import { randomUUID } from 'node:crypto'
import {
  ServerResponse,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type RequestListener,
} from 'node:http'

export const requestIdHeader = 'x-request-id'

/** Identifiers of callers that come back to them, so that their logs can be joined with ours, and their form. */
const echoed = {
  [requestIdHeader]: /^[\w.:/+=@-]{1,128}$/,
  traceparent: /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/,
}

function callersHeader({ headers }: IncomingMessage, name: keyof typeof echoed): string | undefined {
  const value = headers[name]
  return typeof value === 'string' && value.length <= 128 && echoed[name].test(value) ? value : undefined
}

/** Headers of an answer that repeat identifiers of its request. */
export const echoOf = (request: IncomingMessage): HeaderList =>
  (Object.keys(echoed) as (keyof typeof echoed)[]).flatMap((name) => {
    const value = callersHeader(request, name)
    return value === undefined ? [] : [name, value]
  })

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
    return (response.#requestId ??= callersHeader(response.req, requestIdHeader) ?? randomUUID())
  }

  /** Header with the id of a failed request; empty where the id is the caller's, which every answer repeats. */
  static requestIdHeaders(response: Response): Record<string, string> {
    const id = Response.requestIdOf(response)
    return id === response.req.headers[requestIdHeader] ? {} : { [requestIdHeader]: id }
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

  /** Removes the standing headers, for the answer of another server, which has its own. */
  clearStanding(): void {
    this.#standing = []
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
