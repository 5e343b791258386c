import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../ground/clock.ts'
import { isFresh, isSignature, type ClusterSecret } from './secret.ts'

const header = 'x-farhand-hop'

/** Address in the hop of a request that a server makes for itself; an empty one would be trimmed on the way. */
const noClient = '-'

/** A request that another server of the cluster has passed on. */
export interface Hop {
  /** Id of the server that passed it on. */
  readonly from: string
  readonly address: string
}

export interface HopsOptions {
  /** Id of this server. */
  id: string
  clock: Clock
  secret: Pick<ClusterSecret, 'sign'>
}

type Requested = Pick<IncomingMessage, 'method' | 'url'>

/** Header of an answer that only the server that was asked can give. */
export const proofHeader = 'x-farhand-proof'

/** The question whether a server is alive, to be sent to its address. */
export interface Question {
  path: string
  headers: Record<string, string>
  /** The answer, in the header `proofHeader`. */
  proof: string
}

const questionPath = (server: string) => `/alive?server=${server}`

/**
 * Header by which a server tells the address of a client to another one. It vouches for nothing else: the receiver
 * authenticates and authorizes the request as ever.
 */
export class Hops {
  readonly #options: HopsOptions
  readonly #known = new WeakMap<IncomingMessage, Hop | null>()

  constructor(options: HopsOptions) {
    this.#options = options
  }

  /** Headers of a request of a client that is passed on to a server. */
  headersTo(server: string, request: Requested, address: string): Record<string, string> {
    return {
      [header]: this.#headerTo(server, request, address),
      // The client's own value does not count, and no request of a client is one of the receiver's own machine.
      'x-forwarded-for': address,
    }
  }

  /** Headers of a request that this server makes to another one for itself. */
  ownHeadersTo(server: string, url: string): Record<string, string> {
    return { [header]: this.#headerTo(server, { method: 'GET', url }, noClient) }
  }

  /** Whether another server made the request for itself, not for a client. */
  isFromServer(request: IncomingMessage): boolean {
    return this.of(request)?.address === noClient
  }

  /** The question whether another server is alive. */
  questionTo(server: string): Question {
    const path = questionPath(server)
    const headers = this.ownHeadersTo(server, path)
    return { path, headers, proof: this.#proofOf(headers[header]!) }
  }

  /** Proof for another server that asks this one whether it is alive; undefined for any other request. */
  answerTo(request: IncomingMessage): string | undefined {
    return request.url === questionPath(this.#options.id) && this.isFromServer(request)
      ? this.#proofOf(String(request.headers[header]))
      : undefined
  }

  /** Whether the header of a hop does not verify: forged, for another server, or expired. Such a request must be rejected. */
  isUnverified(request: IncomingMessage): boolean {
    return request.headers[header] !== undefined && this.of(request) === undefined
  }

  /** The hop of a request; undefined for one that comes from a client, or whose header does not verify. */
  of(request: IncomingMessage): Hop | undefined {
    const given = request.headers[header]
    if (given === undefined) {
      return undefined
    }
    let hop = this.#known.get(request)
    if (hop === undefined) {
      hop = this.#read(request, String(given)) ?? null
      this.#known.set(request, hop)
    }
    return hop ?? undefined
  }

  #headerTo(to: string, request: Requested, address: string): string {
    const { id: from, clock } = this.#options
    const sentAt = String(clock.now())
    const signature = this.#signatureOf(request, { sentAt, from, to, address }).toString('base64url')
    return [sentAt, from, signature, address].join(' ')
  }

  #signatureOf(
    { method, url }: Requested,
    { sentAt, from, to, address }: { sentAt: string; from: string; to: string; address: string },
  ): Buffer {
    return this.#options.secret.sign(JSON.stringify([method, url, sentAt, from, to, address]), 'hop')
  }

  #proofOf(question: string): string {
    return this.#options.secret.sign(question, 'proof').toString('base64url')
  }

  #read(request: IncomingMessage, given: string): Hop | undefined {
    const { id: to, clock } = this.#options
    const [sentAt = '', from = '', signature = '', address = ''] = given.split(' ')
    const expected = this.#signatureOf(request, { sentAt, from, to, address })
    return isSignature(expected, signature) && isFresh(clock, Number(sentAt)) ? { from, address } : undefined
  }
}

export const isHopHeader = (name: string): boolean => name.toLowerCase() === header
