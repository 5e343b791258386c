import { randomUUID } from 'node:crypto'
import {
  ServerResponse,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type RequestListener,
} from 'node:http'

export const requestIdHeader = 'x-request-id'

/** Names and values in turn. */
export type HeaderList = readonly string[]

export interface Head {
  status: number
  headers: string[]
}

const listOf = (headers: OutgoingHttpHeaders | OutgoingHttpHeader[]) =>
  Array.isArray(headers) ? headers : Object.entries(headers).flatMap(([name, value]) => [name, value ?? ''])

/** Resolves when the client has taken so much that more can be written, or has left. */
export const ready = (response: ServerResponse) =>
  new Promise<void>((resolve) => {
    const settle = () => {
      drains.off('drain', settle)
      response.off('close', settle)
      resolve()
    }
    // A compressed answer drains as another stream, which is what `on` returns then.
    const drains = response.on('drain', settle)
    response.on('close', settle)
    if (response.destroyed) {
      settle()
    }
  })

/**
 * An answer with prepared headers. Node sends a list of headers as it is, while each header that is set by its name is
 * stored first and looked up again.
 */
export class Response extends ServerResponse {
  readonly requestId = randomUUID()
  #standing: HeaderList = []

  /** Adds headers whose names nobody sets or adds again. */
  addStanding(...headers: HeaderList): void {
    this.#standing = this.#standing.length === 0 ? headers : [...this.#standing, ...headers]
  }

  override writeHead(
    status: number,
    reason?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
    headers?: OutgoingHttpHeaders | OutgoingHttpHeader[],
  ): this {
    const given = typeof reason === 'string' ? headers : (reason ?? headers)
    const list = given ? [...this.#standing, ...listOf(given)] : [...this.#standing]
    return typeof reason === 'string' ? super.writeHead(status, reason, list) : super.writeHead(status, list)
  }
}

export type Listener = RequestListener<typeof IncomingMessage, typeof Response>
