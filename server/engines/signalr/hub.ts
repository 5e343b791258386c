/**
 * The interface between the engine and a hub. No product word here: a hub's methods, argument checks and rights are
 * data.
 */

import type { IncomingMessage } from 'node:http'
import type { Message, Payload, ProtocolName } from './protocol/messages.ts'

export type { ProtocolName } from './protocol/messages.ts'

/** A transport, by the name negotiation uses. */
export type TransportName = 'WebSockets' | 'ServerSentEvents' | 'LongPolling'

/** A client, as authenticated by the host application before its connection reached the engine. */
export interface Caller {
  /** The application's own description of the user; opaque to the engine. */
  principal?: unknown
  /** Name by which `user(id)` addresses every connection of one user; undefined for anonymous callers. */
  userId?: string | undefined
  /** Key of the budget that the connection shares with others of its payer: by default the user id, or the address without one. */
  payer?: string
  /**
   * Identity of the caller, as exactly as the application knows it: a connection accepts requests only from the
   * identity that opened it, and does not exist for others. Defaults to the user id.
   */
  identity?: string
  /** Address of the peer, after any trusted proxy. */
  remoteAddress: string
  /**
   * The request that opened the connection or, for long polling, the last poll. It stays in memory as long as the
   * connection: an application that describes callers itself and has very many connections leaves it out.
   */
  request?: IncomingMessage
}

/** A set of clients to send to. */
export interface Audience {
  /**
   * Calls `target` on each client. The promise resolves when slow readers have caught up: await it before sending much
   * more, or ignore it. It never rejects; a disconnected client is no error.
   */
  send(target: string, args: readonly unknown[]): Promise<void>
}

/** Addresses the clients of a hub. */
export interface HubClients {
  readonly all: Audience
  allExcept(connectionIds: Iterable<string>): Audience
  client(connectionId: string): Audience
  clients(connectionIds: Iterable<string>): Audience
  group(name: string): Audience
  /** A member of two of the groups is called twice. */
  groups(names: readonly string[]): Audience
  groupExcept(name: string, connectionIds: Iterable<string>): Audience
  user(userId: string): Audience
  users(userIds: Iterable<string>): Audience
  /**
   * Calls `target` on one client and waits for its result. Rejects with a HubException when the client answers with an
   * error or disconnects, and when `signal` aborts; there is no other time limit.
   */
  invoke(connectionId: string, target: string, args: readonly unknown[], signal?: AbortSignal): Promise<unknown>
  /** Whether a call of a client waits for its result. */
  isAwaited(connectionId: string): boolean
}

/** Group members by connection id. A connection leaves all its groups when it ends. */
export interface Groups {
  /** Does nothing for a closed connection or a connection that is already a member. */
  add(connectionId: string, group: string): void
  remove(connectionId: string, group: string): void
}

/** Clients and groups that hub code may send to. */
export interface HubContext {
  readonly clients: HubClients
  readonly groups: Groups
}

/**
 * Cause of a connection's end: `client` sent a Close message or close frame; `break`, the connection was lost;
 * `silence`, the client sent nothing or did not read; `server`, this server ended the connection.
 */
export type EndedBy = 'client' | 'break' | 'silence' | 'server'

/** A client of a hub, from its handshake to its end. */
export interface HubConnection {
  /** Public connection id. */
  readonly id: string
  /** Refreshed on each poll of a long-polling client. */
  readonly caller: Caller
  readonly protocol: ProtocolName
  readonly transport: TransportName
  /** Aborts when the connection ends, for any reason. */
  readonly signal: AbortSignal
  /** Undefined while the connection is open. */
  readonly endedBy: EndedBy | undefined
  /** The hub's own data about this connection. */
  state: unknown
  /** Lifts the limits for unproved peers: the hub has authenticated the client as `owner`. */
  prove(owner: string): void
  /** Sends messages that are encoded in the protocol of this connection. Wait for a promise before sending more. */
  sendPayload(payload: Payload): Promise<void> | undefined
  /** Ends the connection: Close message, then the transport. */
  abort(options?: { allowReconnect?: boolean }): void
}

/** The clients of a hub, as the application sees them. */
export interface ConnectionList extends Iterable<HubConnection> {
  readonly count: number
  get(id: string): HubConnection | undefined
}

/** A call of a hub method. */
export interface HubCall extends HubContext {
  readonly connection: HubConnection
  /** Arguments after `parse`. */
  readonly args: readonly unknown[]
  /** Arguments as decoded from the wire (JSON values, or MessagePack values). */
  readonly rawArgs: readonly unknown[]
  /** The hub's own data about this call. */
  state: object | undefined
  /** The client's upload streams, in the order of the method's stream parameters; items went through `parseItem`. */
  readonly uploads: readonly AsyncIterable<unknown>[]
  /** Aborts when the connection ends or, for a server stream, when the client cancels it. */
  readonly signal: AbortSignal
  /**
   * Invokes a method of one client and waits for its result. Called on any connection from inside a hub method, it
   * frees the caller's invocation slot at that moment, so that the result can be read.
   */
  invokeClient(connectionId: string, target: string, args: readonly unknown[], signal?: AbortSignal): Promise<unknown>
  /** Frees the invocation slot, so that other calls of this client run while this call waits. */
  releaseSlot(): void
}

export interface HubMethod {
  /** The name as declared; lookup ignores case. */
  readonly name: string
  /** True when the method answers with a stream (`invoke` returns an AsyncIterable). */
  readonly streams: boolean
  /** Number of upload streams the client must send along. */
  readonly uploads: number
  /** Checks and converts the arguments; throws for a binding failure. */
  parse(args: readonly unknown[]): readonly unknown[]
  /** True if `parseItem` accepts the bytes of a base64 string instead of the string. */
  readonly readsBytes?: boolean
  /** Checks and converts one item of upload stream `index`; throws for a binding failure. */
  parseItem(index: number, item: unknown): unknown
  authorize(call: HubCall): boolean | Promise<boolean>
  invoke(call: HubCall): unknown
  /** Converts the result or a stream item for the wire of this connection's protocol; identity when omitted. */
  present?(value: unknown, protocol: ProtocolName): unknown
}

/** Resolves when the next message of the client may follow; messages of a client are passed on in order. */
export type Forwarded = Promise<void>

export interface Hub {
  find(target: string): HubMethod | undefined
  /** Takes a message of a client that another server answers; undefined leaves it to this hub. */
  forward?(connection: HubConnection, message: Message): Forwarded | undefined
  onConnected?(connection: HubConnection, context: HubContext): void | Promise<void>
  /** `error`: the cause, unless the connection ended in an orderly way. */
  onDisconnected?(connection: HubConnection, error: Error | undefined, context: HubContext): void | Promise<void>
  /** Converts arguments of a client method for the wire of `protocol`; identity when omitted. */
  presentArgs?(target: string, args: readonly unknown[], protocol: ProtocolName): readonly unknown[]
  /** Checks and converts a client's result of `target`; identity when omitted. Throws for a binding failure. */
  parseResult?(target: string, result: unknown): unknown
}

/** Thrown by hub code when its message may be shown to the client. */
export class HubException extends Error {
  override name = 'HubException'
}
