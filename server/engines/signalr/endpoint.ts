import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { answerTo, refuse as refuseUpgrade } from '../flow/websocket/handshake.ts'
import { answer, answerJson } from './answers.ts'
import type { Connection } from './connection.ts'
import type { Caller, TransportName } from './hub.ts'
import type { HubEngine } from './hub-engine.ts'
import { negotiateAnswer, negotiateVersion, offered } from './negotiate.ts'
import { LongPollingTransport, noCacheHeaders } from './transports/long-polling.ts'
import { ServerSentEventsTransport } from './transports/server-sent-events.ts'
import { WebSocketTransport } from './transports/websocket.ts'
import { queueUpgrade } from './unproved-upgrade.ts'

interface Refusal {
  readonly status: number
  readonly body: string
}

const connectionIdRequired: Refusal = { status: 400, body: 'Connection ID required' }
/** Also sent for another caller's connection, which must not be revealed. */
const noSuchConnection: Refusal = { status: 404, body: 'No Connection with that ID' }
const otherTransport: Refusal = { status: 400, body: 'Cannot change transports mid-connection' }
const alreadyAttached: Refusal = { status: 409, body: '' }
/** Rejection for an unproved peer: each waiting body uses memory. */
const onePostAtATime: Refusal = { status: 409, body: 'Send one message at a time.' }
const shuttingDown: Refusal = { status: 503, body: '' }
const tooManyOfAddress: Refusal = { status: 503, body: 'Too many connections of this address are open. Close some.' }

/** The HTTP side of a hub: finds the connection of each request by its token. */
export class HubEndpoint {
  readonly #engine: HubEngine

  constructor(engine: HubEngine) {
    this.#engine = engine
  }

  /** Handles any request for the hub's path, and for `/negotiate` below it. The body must not have been read. */
  handleRequest(request: IncomingMessage, response: ServerResponse, caller: Caller = anonymous(request)): void {
    // The client may have disconnected while the host authenticated the request; no later event reports the disconnect.
    if (response.destroyed || response.socket?.destroyed) {
      return
    }
    const { path, query } = parseUrl(request.url ?? '/')
    if (path.endsWith('/negotiate')) {
      if (request.method === 'POST') {
        this.#negotiate(response, query, caller)
      } else {
        answer(response, 405)
      }
      return
    }
    const id = query.get('id')
    switch (request.method) {
      case 'GET':
        if (acceptsEventStream(request)) {
          this.#openEventStream(response, id, caller)
        } else {
          this.#poll(response, id, caller)
        }
        return
      case 'POST':
        this.#post(request, response, id, caller)
        return
      case 'DELETE':
        this.#delete(response, id, caller)
        return
      default:
        answer(response, 405)
    }
  }

  /** Handles an upgrade for the hub's path. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, caller: Caller = anonymous(request)): void {
    const { unproved, countedAddressOf } = this.#engine.options
    const upgrade = () => this.#upgrade(request, socket, head, caller)
    if (unproved) {
      queueUpgrade(unproved.queue, countedAddressOf(caller.remoteAddress), { socket, head }, upgrade)
    } else {
      upgrade()
    }
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, caller: Caller): void {
    const id = parseUrl(request.url ?? '/').query.get('id')
    // A client may skip negotiation; then its connection is created here.
    const found = id ? this.#findUnattached(id, 'WebSockets', caller) : this.#checkNew('WebSockets', caller)
    if (found && 'status' in found) {
      return refuseUpgrade(socket, found)
    }
    const { subprotocol } = this.#engine.options
    const accepted = answerTo(request, (offers) => offers.find((offer) => offer === subprotocol))
    if (typeof accepted !== 'string') {
      return refuseUpgrade(socket, accepted)
    }
    socket.write(accepted)
    // Input received after the head of the request.
    socket.unshift(head)
    const connection = found ?? this.#engine.accept(caller, { hasSecretToken: false })
    connection.attach(new WebSocketTransport(socket as Socket, connection, connection.unproved), caller)
  }

  #negotiate(response: ServerResponse, query: Query, caller: Caller): void {
    const refusal = this.#checkConnectionLimit(caller)
    if (refusal) {
      return refuse(response, refusal)
    }
    const { minNegotiateVersion, transports } = this.#engine.options
    const negotiated = negotiateVersion(query.get('negotiateversion'), minNegotiateVersion)
    if ('error' in negotiated) {
      return answerJson(response, negotiated)
    }
    const connection = this.#engine.accept(caller, { hasSecretToken: negotiated.version > 0 })
    answerJson(response, negotiateAnswer(negotiated.version, connection, transports))
  }

  #openEventStream(response: ServerResponse, id: string | undefined, caller: Caller): void {
    const connection = id ? this.#findUnattached(id, 'ServerSentEvents', caller) : connectionIdRequired
    if ('status' in connection) {
      return refuse(response, connection)
    }
    connection.attach(new ServerSentEventsTransport(response, connection), caller)
  }

  #poll(response: ServerResponse, id: string | undefined, caller: Caller): void {
    const connection = id ? this.#find(id, 'LongPolling', caller) : connectionIdRequired
    if ('status' in connection) {
      return refuse(response, connection, noCacheHeaders)
    }
    const attached = connection.attached
    if (attached instanceof LongPollingTransport) {
      connection.caller = caller
      return attached.poll(response)
    }
    const transport = new LongPollingTransport(connection, this.#engine.options, this.#engine.clock)
    transport.poll(response)
    connection.attach(transport, caller)
  }

  #post(request: IncomingMessage, response: ServerResponse, id: string | undefined, caller: Caller): void {
    const connection = id ? this.#engine.find(id, caller) : undefined
    if (!id) {
      return refuse(response, connectionIdRequired)
    }
    if (!connection || connection.isEnded) {
      return refuse(response, noSuchConnection)
    }
    if (connection.attached?.name === 'WebSockets' || !connection.hasSecretToken) {
      return answer(response, 405, 'POST requests are not allowed for WebSocket connections.')
    }
    if (connection.lastPost && connection.unproved) {
      return refuse(response, onePostAtATime)
    }
    const post = this.#takeBody(connection, request, response, connection.lastPost).then(() => {
      if (connection.lastPost === post) {
        connection.lastPost = undefined
      }
    })
    connection.lastPost = post
  }

  /** Reads one body at a time. Waiting for room before the next chunk is the back-pressure on a fast sender. */
  async #takeBody(
    connection: Connection,
    request: IncomingMessage,
    response: ServerResponse,
    previous: Promise<void> | undefined,
  ): Promise<void> {
    await previous
    const { unproved } = connection
    let takenBytes = 0
    let isTaken = !connection.isEnded
    /** Reading stops at the end of an unproved connection, without waiting for the rest of the body. */
    const cut = () => void (request.complete || request.destroy())
    if (unproved?.isProved === false) {
      connection.signal.addEventListener('abort', cut)
    }
    try {
      for await (const chunk of request) {
        if (!connection.isEnded) {
          takenBytes += (chunk as Buffer).length
        }
        if (unproved?.isProved === false) {
          await unproved.admit(chunk as Buffer)
        }
        const room = connection.receive(chunk as Buffer)
        if (room) {
          await room
        }
        isTaken &&= room === undefined || !connection.isEnded
      }
    } catch {
      // The start of the next body could not be distinguished from the missing rest of this body.
      if (takenBytes > 0) {
        connection.cutOff()
      }
      return answer(response, 400)
    } finally {
      connection.signal.removeEventListener('abort', cut)
    }
    answer(response, isTaken ? 200 : 404)
  }

  #delete(response: ServerResponse, id: string | undefined, caller: Caller): void {
    const connection = id ? this.#engine.find(id, caller) : undefined
    if (!id) {
      return refuse(response, connectionIdRequired)
    }
    if (!connection) {
      return refuse(response, noSuchConnection)
    }
    if (!(connection.attached instanceof LongPollingTransport)) {
      return answer(response, 400, 'Cannot terminate this connection using the DELETE endpoint.')
    }
    answer(response, 202)
    connection.attached.deleted()
  }

  /**
   * Finds connection `id`, if it uses `transport` or no transport yet. A connection that has ended may still have
   * output to poll.
   */
  #find(id: string, transport: TransportName, caller: Caller): Connection | Refusal {
    const connection = this.#engine.find(id, caller)
    if (!connection || (connection.isEnded && connection.attached?.name !== 'LongPolling')) {
      return noSuchConnection
    }
    if (!offered(connection.hasSecretToken, this.#engine.options.transports).includes(transport)) {
      return notSupported(transport)
    }
    if (connection.attached && connection.attached.name !== transport) {
      return otherTransport
    }
    return connection
  }

  #findUnattached(id: string, transport: TransportName, caller: Caller): Connection | Refusal {
    const connection = this.#find(id, transport, caller)
    return 'attached' in connection && connection.attached ? alreadyAttached : connection
  }

  #checkNew(transport: TransportName, caller: Caller): Refusal | undefined {
    if (!this.#engine.options.transports.includes(transport)) {
      return notSupported(transport)
    }
    return this.#checkConnectionLimit(caller)
  }

  #checkConnectionLimit({ remoteAddress }: Caller): Refusal | undefined {
    if (this.#engine.rejectsNew) {
      return shuttingDown
    }
    return this.#engine.hasRoomFor(remoteAddress) ? undefined : tooManyOfAddress
  }
}

/** Caller known only by its request. */
const anonymous = (request: IncomingMessage): Caller => ({ remoteAddress: request.socket.remoteAddress ?? '', request })

/** Query parameters: names are case-insensitive, and an empty value counts as absent. */
type Query = ReadonlyMap<string, string>

function parseUrl(url: string): { path: string; query: Query } {
  const [path = '/', search = ''] = url.split('?', 2)
  const query = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(search)) {
    if (value) {
      query.set(name.toLowerCase(), value)
    }
  }
  return { path: path.toLowerCase().replace(/\/$/, ''), query }
}

function acceptsEventStream(request: IncomingMessage): boolean {
  const accept = request.headers.accept ?? ''
  return accept.split(',').some((type) => type.trim().toLowerCase() === 'text/event-stream')
}

const notSupported = (transport: TransportName): Refusal => ({
  status: 404,
  body: `${transport} transport not supported by this end point type`,
})

function refuse(response: ServerResponse, { status, body }: Refusal, headers?: OutgoingHttpHeaders): void {
  answer(response, status, body, headers)
}
