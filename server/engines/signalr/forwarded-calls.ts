import type { WebSocket } from 'ws'
import type { Log } from '../../ground/log.ts'
import { attempt } from './attempt.ts'
import { toError } from './errors.ts'
import type { Forwarded, HubConnection } from './hub.ts'
import { HubLink, protocolOf } from './hub-link.ts'
import { Base64Text } from './protocol/base64-items.ts'
import {
  completionWithError,
  MessageType,
  readable,
  type Invocation,
  type Message,
  type StreamInvocation,
} from './protocol/messages.ts'

export interface ForwardedCallsOptions {
  /** The server that answers a call; undefined for this one. */
  serverOf(connection: HubConnection, target: string, args: readonly unknown[]): string | undefined
  /** Opens a socket to the hub of another server with the credential of a client. */
  connect(server: string, connection: HubConnection): Promise<WebSocket>
  /** Error of a call whose server cannot be reached. */
  notReached: string
  log: Log
}

/** Calls of one client that one other server answers. */
interface Link {
  readonly server: string
  readonly opened: Promise<HubLink>
  /** Invocations and streams of the client that are not completed, with the streams that the client sends along. */
  readonly calls: Map<string, readonly string[]>
  /** Streams that the client sends. */
  readonly uploads: Set<string>
}

/** Streams that a client sends on a link; a call with more is left to this hub, which rejects it. */
const maxUploads = 100

/** Separates the server from the id of a call of a client's method, so that the result finds its way back. */
const separator = '!'

/** Bytes of base64 strings are kept as text, as they came. */
const itemOf = (item: unknown) => (item instanceof Base64Text ? item.text : readable(item))

/**
 * Passes calls of clients on to other servers: each client has one link to each server that answers some of its calls, opened
 * with the client's own credential, and closed with it. When a link breaks, the client's connection is closed too: the
 * client reconnects, and what it had there is found again wherever it is.
 */
export class ForwardedCalls {
  readonly #options: ForwardedCallsOptions
  readonly #links = new WeakMap<HubConnection, Map<string, Link>>()
  /** Sockets of the links of all clients, by server. */
  readonly #sockets = new Map<string, Set<WebSocket>>()

  constructor(options: ForwardedCallsOptions) {
    this.#options = options
  }

  /** Takes a message that another server answers; undefined leaves it to this hub. */
  readonly forward = (connection: HubConnection, message: Message): Forwarded | undefined => {
    switch (message.type) {
      case MessageType.Invocation:
      case MessageType.StreamInvocation:
        return this.#call(connection, message)
      case MessageType.StreamItem: {
        const link = this.#find(connection, ({ uploads }) => uploads.has(message.invocationId))
        return link && this.#send(connection, link, { ...message, item: itemOf(message.item) })
      }
      case MessageType.Completion: {
        const link = this.#find(connection, ({ uploads }) => uploads.delete(message.invocationId))
        if (link) {
          return this.#send(connection, link, message)
        }
        const [server = '', invocationId] = message.invocationId.split(separator)
        const asker = invocationId === undefined ? undefined : this.#links.get(connection)?.get(server)
        return asker && this.#send(connection, asker, { ...message, invocationId: invocationId! })
      }
      case MessageType.CancelInvocation: {
        const link = this.#find(connection, ({ calls }) => calls.has(message.invocationId))
        return link && this.#send(connection, link, message)
      }
      default:
        return undefined
    }
  }

  /** Ends the links to a server that is gone: sockets to one that hangs stay open by themselves. */
  forget(server: string): void {
    this.#sockets.get(server)?.forEach((socket) => socket.terminate())
    this.#sockets.delete(server)
  }

  #find(connection: HubConnection, isIt: (link: Link) => boolean): Link | undefined {
    const links = this.#links.get(connection)
    return links && [...links.values()].find(isIt)
  }

  #call(connection: HubConnection, message: Invocation | StreamInvocation): Forwarded | undefined {
    const { target, args, invocationId, streamIds } = message
    const server = Array.isArray(args) ? this.#options.serverOf(connection, target, args) : undefined
    if (server === undefined) {
      return undefined
    }
    const link = this.#linkTo(connection, server)
    if (link.uploads.size + streamIds.length > maxUploads) {
      return undefined
    }
    if (invocationId !== undefined) {
      link.calls.set(invocationId, streamIds)
    }
    streamIds.forEach((id) => link.uploads.add(id))
    return this.#send(connection, link, message)
  }

  /** A promise pauses reading from the client: messages stay in order, and a slow server slows its client down. */
  async #send(connection: HubConnection, link: Link, message: Message): Promise<void> {
    try {
      const opened = await link.opened
      await opened.send(message)
    } catch (error) {
      this.#options.log.warn({ err: error, server: link.server }, 'A hub call could not be passed on to its server.')
      if ('invocationId' in message && message.invocationId !== undefined && link.calls.delete(message.invocationId)) {
        const completion = completionWithError(message.invocationId, this.#options.notReached)
        void connection.sendPayload(protocolOf(connection.protocol).write(completion))
      }
    }
  }

  #linkTo(connection: HubConnection, server: string): Link {
    const links = this.#links.get(connection) ?? new Map<string, Link>()
    this.#links.set(connection, links)
    const known = links.get(server)
    if (known) {
      return known
    }
    let hasOpened = false
    const opened = this.#open(connection, server, (error) => {
      links.delete(server)
      if (hasOpened && !connection.signal.aborted) {
        this.#options.log.info(
          { err: error, server, connectionId: connection.id },
          'The link of a client to another server broke.',
        )
        connection.abort({ allowReconnect: true })
      }
    })
    const link: Link = { server, opened, calls: new Map(), uploads: new Set() }
    links.set(server, link)
    void attempt(
      () => opened,
      (hub) => {
        hasOpened = true
        connection.signal.addEventListener('abort', () => hub.close(), { once: true })
        if (connection.signal.aborted) {
          hub.close()
        }
      },
      () => links.delete(server),
    )
    return link
  }

  async #open(connection: HubConnection, server: string, closed: (error: Error) => void): Promise<HubLink> {
    const socket = await this.#options.connect(server, connection)
    const sockets = this.#sockets.get(server) ?? new Set()
    this.#sockets.set(server, sockets.add(socket))
    return HubLink.open(socket, connection.protocol, {
      message: (message, bytes) => this.#received(connection, server, message, bytes),
      closed(error) {
        sockets.delete(socket)
        closed(toError(error))
      },
    })
  }

  #received(connection: HubConnection, server: string, message: Message, bytes: Buffer): Promise<void> | undefined {
    const link = this.#links.get(connection)?.get(server)
    switch (message.type) {
      case MessageType.Invocation:
        return connection.sendPayload(
          message.invocationId === undefined
            ? bytes
            : protocolOf(connection.protocol).write({
                ...message,
                invocationId: `${server}${separator}${message.invocationId}`,
              }),
        )
      case MessageType.Completion:
        if (link) {
          link.calls.get(message.invocationId)?.forEach((id) => link.uploads.delete(id))
          link.calls.delete(message.invocationId)
        }
        return connection.sendPayload(bytes)
      case MessageType.StreamItem:
        return connection.sendPayload(bytes)
      case MessageType.Close:
        void link?.opened.then((hub) =>
          hub.close(new Error(message.error ?? 'The other server closed the connection.')),
        )
        return undefined
      default:
        return undefined
    }
  }
}
