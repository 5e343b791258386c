import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Duplex } from 'node:stream'
import { checkServerIdentity, rootCertificates, type ConnectionOptions } from 'node:tls'
import { isHopHeader, proofHeader, type Question } from './hop.ts'
import type { ClusterServer } from './members.ts'

/** Time limit until another server of the cluster accepts a connection. */
const connectMs = 3_000
/** Time limit of an answer that is read here. */
const readMs = 5_000

/** Longest silence of a server whose bytes are read here. */
const idleMs = 60_000

/** A request reports errors after its answer, too, when nobody listens to them: they would end this process. */
const ignored = () => {}

/** Server that a request is passed on to. */
type Target = Pick<ClusterServer, 'id' | 'url'>

/** Response to a request that is passed on; its own headers give way to those of the other server. */
type Answered = ServerResponse & { clearStanding?(): void }

/** Answer that was read whole. */
interface ReadAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

export interface ProxyOptions {
  /** PEM of the authority that issues the certificates of the servers. */
  authorityPem(): Promise<string>
  /** Headers for the server that a request is passed on to. */
  headersTo(server: string, request: IncomingMessage): Record<string, string>
}

/** Kind of a passed request: with its body, with JSON in its place, with an answer that is read here, or an upgrade. */
type Kind = 'request' | 'json' | 'read' | 'upgrade'

/** Headers that are not passed on: this server decides what is an upgrade, and a request that is only read has no body. */
const dropped: Record<Kind, RegExp> = {
  request: /^upgrade$/i,
  json: /^(content-.*|transfer-encoding|trailer|expect|upgrade)$/i,
  read: /^(content-.*|transfer-encoding|trailer|expect|te|upgrade|if-.*)$/i,
  upgrade: /^$/,
}

/** Headers as received, without those that are set anew or have no meaning. */
function passedHeaders(raw: readonly string[], set: Record<string, string>, kind: Kind): string[] {
  const headers: string[] = []
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? ''
    if (!isHopHeader(name) && set[name.toLowerCase()] === undefined && !dropped[kind].test(name)) {
      headers.push(name, raw[index + 1] ?? '')
    }
  }
  return [...headers, ...Object.entries(set).flat()]
}

const headOf = ({ statusCode, statusMessage, rawHeaders }: IncomingMessage) => {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`]
  for (let index = 0; index < rawHeaders.length; index += 2) {
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n`
}

/**
 * Passes requests and upgrades on to other servers of the cluster: whole, with the credential of the client, both bodies
 * as streams. Nothing of a request is read before the other server is connected, so a caller can serve it itself otherwise.
 */
export class ClusterProxy {
  readonly #options: ProxyOptions
  readonly #http = new HttpAgent({ keepAlive: true })
  readonly #https = new HttpsAgent({ keepAlive: true })
  /** Sockets to each server, by its address. */
  readonly #sockets = new Map<string, Set<Socket>>()
  #tls: Promise<ConnectionOptions> | undefined

  constructor(options: ProxyOptions) {
    this.#options = options
  }

  /** Options of a TLS connection to another server. */
  tls(): Promise<ConnectionOptions> {
    return (this.#tls ??= this.#readTls().catch((error: unknown) => {
      // Tried again with the next connection.
      this.#tls = undefined
      throw error
    }))
  }

  async #readTls(): Promise<ConnectionOptions> {
    const pem = await this.#options.authorityPem()
    const { publicKey } = new X509Certificate(pem)
    return {
      ca: [...rootCertificates, pem],
      // Only servers of this cluster have certificates of its authority, whatever their names.
      checkServerIdentity: (host, certificate) =>
        new X509Certificate(certificate.raw).verify(publicKey) ? undefined : checkServerIdentity(host, certificate),
    }
  }

  /**
   * Passes a request on, with `json` if its body was read here. Resolves with false, and an untouched request, when the
   * other server cannot be reached.
   */
  async pass(server: Target, request: IncomingMessage, response: Answered, json?: string): Promise<boolean> {
    const outgoing =
      json === undefined
        ? await this.#connect('request', server, request)
        : await this.#connect('json', server, request, {
            'content-type': 'application/json',
            'content-length': String(Buffer.byteLength(json)),
          })
    if (!outgoing) {
      return false
    }
    if (response.destroyed) {
      outgoing.destroy()
      return true
    }
    return new Promise((resolve, reject) => {
      outgoing.once('response', (answer) => {
        response.clearStanding?.()
        response.writeHead(answer.statusCode ?? 502, answer.statusMessage, [...answer.rawHeaders])
        answer.pipe(response)
        answer.once('error', () => response.destroy())
        answer.once('close', () => resolve(true))
      })
      outgoing.once('error', (error) => {
        if (response.headersSent || response.destroyed) {
          response.destroy()
          resolve(true)
        } else {
          reject(error)
        }
      })
      response.once('close', () => outgoing.destroy())
      if (json !== undefined) {
        outgoing.end(json)
        return
      }
      request.once('error', () => outgoing.destroy())
      request.pipe(outgoing)
    })
  }

  /** Reads the answer of a server to a request without a body; undefined when that server cannot be reached. */
  async read(server: Target, request: IncomingMessage): Promise<ReadAnswer | undefined> {
    const outgoing = await this.#connect('read', server, request)
    if (!outgoing) {
      return undefined
    }
    const timer = setTimeout(() => outgoing.destroy(new Error('The other server does not answer.')), readMs)
    outgoing.end()
    try {
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
      const { 'content-length': _, 'transfer-encoding': __, connection: ___, ...headers } = answer.headers
      return { status: answer.statusCode ?? 502, headers, body: await text(answer) }
    } catch {
      return undefined
    } finally {
      clearTimeout(timer)
    }
  }

  /** Passes an upgrade on, and joins both sockets. Resolves with false when the other server cannot be reached. */
  async passUpgrade(server: Target, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<boolean> {
    const outgoing = await this.#connect('upgrade', server, request)
    if (!outgoing) {
      return false
    }
    const end = () => {
      socket.destroy()
      outgoing.destroy()
    }
    if (socket.destroyed) {
      end()
      return true
    }
    outgoing.once('upgrade', (answer, other, first) => {
      socket.write(headOf(answer))
      other.unshift(first)
      socket.unshift(head)
      join(socket, other)
    })
    outgoing.once('response', (answer) => {
      socket.write(headOf(answer))
      answer.pipe(socket)
    })
    outgoing.once('error', end)
    socket.once('close', () => outgoing.destroy())
    outgoing.end()
    return true
  }

  /** True if the server that was asked answers at the address, and not another program that took its port. */
  async isAnswering(url: string, { path, headers, proof }: Question, timeoutMs: number): Promise<boolean> {
    try {
      const answer = await this.ask(url, path, headers, AbortSignal.timeout(timeoutMs))
      answer.resume()
      return answer.headers[proofHeader] === proof
    } catch {
      return false
    }
  }

  /** Opens the answer to a request that this server makes for itself. Rejects for a server that cannot be reached. */
  async ask(
    url: string,
    path: string,
    headers: Record<string, string>,
    signal = AbortSignal.timeout(readMs),
  ): Promise<IncomingMessage> {
    const isTls = url.startsWith('https:')
    const tls = isTls ? await this.tls() : {}
    const asked = (isTls ? httpsRequest : httpRequest)(new URL(path, url), { ...tls, headers, agent: false })
    asked.on('error', ignored)
    asked.once('socket', (socket) => this.#remember(url, socket))
    asked.setTimeout(idleMs, () => asked.destroy(new Error('The other server sends nothing.')))
    const giveUp = () => asked.destroy(signal.reason as Error)
    signal.addEventListener('abort', giveUp)
    asked.end()
    try {
      const [answer] = (await once(asked, 'response')) as [IncomingMessage]
      return answer
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }

  /** Ends what was passed to a server that is gone: sockets to one that hangs stay open by themselves. */
  forget(url: string): void {
    this.#sockets.get(url)?.forEach((socket) => socket.destroy())
    this.#sockets.delete(url)
  }

  close(): void {
    this.#http.destroy()
    this.#https.destroy()
  }

  /** Connects to a server for a request. Resolves with undefined when it accepts no connection. */
  async #connect(
    kind: Kind,
    { id, url }: Target,
    request: IncomingMessage,
    ofBody: Record<string, string> = {},
  ): Promise<ClientRequest | undefined> {
    const { protocol, hostname, port } = new URL(url)
    const isTls = protocol === 'https:'
    const outgoing = (isTls ? httpsRequest : httpRequest)({
      ...(isTls && (await this.tls())),
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? undefined : Number(port),
      // A request that is answered before its body was sent must not leave its connection to another client.
      agent: kind === 'read' || kind === 'upgrade' ? false : isTls ? this.#https : this.#http,
      method: request.method,
      path: request.url,
      headers: passedHeaders(
        request.rawHeaders,
        {
          ...this.#options.headersTo(id, request),
          // Names that a client gives here would be removed by a proxy on the way, the header of the hop too.
          connection: kind === 'upgrade' ? 'Upgrade' : 'keep-alive',
          ...(kind === 'read' && { 'accept-encoding': 'identity' }),
          ...ofBody,
        },
        kind,
      ),
      setHost: false,
    })
    outgoing.on('error', ignored)
    return new Promise((resolve) => {
      const timer = setTimeout(() => outgoing.destroy(new Error('The other server accepts no connection.')), connectMs)
      const failed = () => {
        clearTimeout(timer)
        resolve(undefined)
      }
      outgoing.once('error', failed)
      outgoing.once('socket', (connection) => {
        this.#remember(url, connection)
        const connected = () => {
          clearTimeout(timer)
          outgoing.off('error', failed)
          resolve(outgoing)
        }
        if (!connection.connecting && outgoing.reusedSocket) {
          connected()
        } else {
          connection.once(isTls ? 'secureConnect' : 'connect', connected)
        }
      })
    })
  }

  #remember(url: string, socket: Socket): void {
    const sockets = this.#sockets.get(url) ?? new Set()
    this.#sockets.set(url, sockets)
    // Requests that follow each other share a socket.
    if (!sockets.has(socket)) {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    }
  }
}

/** Joins two sockets until either ends. */
function join(one: Duplex, other: Duplex): void {
  const end = () => {
    one.destroy()
    other.destroy()
  }
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on('error', end)
    from.once('close', () => to.end())
    from.pipe(to)
  }
}
