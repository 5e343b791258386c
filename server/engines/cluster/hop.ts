import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../ground/clock.ts'
import { isFresh, isSignedBy, type Sign } from './signed.ts'

const header = 'x-farhand-hop'

/** A request that another server of the cluster has passed on. */
export interface Hop {
  /** Id of the server that passed it on. */
  readonly from: string
  /** Address of the client. */
  readonly address: string
}

export interface HopsOptions {
  clock: Clock
  sign: Sign
}

const signedText = (request: Pick<IncomingMessage, 'method' | 'url'>, sentAt: string, { from, address }: Hop) =>
  JSON.stringify([request.method, request.url, sentAt, from, address])

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

  headersFor(request: Pick<IncomingMessage, 'method' | 'url'>, hop: Hop): Record<string, string> {
    const sentAt = String(this.#options.clock.now())
    const signature = this.#options.sign(signedText(request, sentAt, hop), 'hop').toString('base64url')
    return { [header]: [sentAt, hop.from, signature, hop.address].join(' ') }
  }

  /** The question of the server `from` whether another one is alive. */
  questionTo(server: string, from: string): Question {
    const path = questionPath(server)
    // No client asks; an empty end would be trimmed on the way.
    const headers = this.headersFor({ method: 'GET', url: path }, { from, address: '-' })
    return { path, headers, proof: this.#proofOf(headers[header]!) }
  }

  /** Proof for another server that asks this one whether it is alive; undefined for any other request. */
  answerTo(request: IncomingMessage, server: string): string | undefined {
    return request.url === questionPath(server) && this.of(request)
      ? this.#proofOf(String(request.headers[header]))
      : undefined
  }

  /** The hop of a request; undefined for one that comes from a client, or whose header is not ours or too old. */
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

  #proofOf(question: string): string {
    return this.#options.sign(question, 'proof').toString('base64url')
  }

  #read(request: IncomingMessage, given: string): Hop | undefined {
    const { clock, sign } = this.#options
    const [sentAt = '', from = '', signature = '', address = ''] = given.split(' ')
    const hop = { from, address }
    const isOurs = isSignedBy(sign, 'hop', signedText(request, sentAt, hop), signature)
    return isOurs && isFresh(clock, Number(sentAt)) ? hop : undefined
  }
}

export const isHopHeader = (name: string): boolean => name.toLowerCase() === header
