import { randomBytes } from 'node:crypto'
import type { Cancel, Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { defer } from './async.ts'
import type { Clients } from './clients.ts'
import { Connection, type ConnectionOwner } from './connection.ts'
import { Dispatcher } from './dispatcher.ts'
import type { Caller, Hub } from './hub.ts'
import { defaultOptions, type HubOptions } from './options.ts'
import type { Message } from './protocol/messages.ts'

const heartbeatMs = 1_000

export interface HubEngineParts {
  hub: Hub
  clients: Clients
  options?: Partial<HubOptions>
  clock: Clock
  log: Log
}

/** One hub with its connections over all transports. */
export class HubEngine implements ConnectionOwner {
  readonly hub: Hub
  readonly clients: Clients
  readonly options: HubOptions
  readonly clock: Clock
  readonly log: Log
  readonly #dispatcher: Dispatcher
  /** Every connection of which something is left, before its handshake and while it ends, too. */
  readonly #byToken = new Map<string, Connection>()
  #heartbeat: Cancel | undefined
  #isClosing = false
  #allClosed = defer()

  constructor({ hub, clients, options, clock, log }: HubEngineParts) {
    this.hub = hub
    this.clients = clients
    this.options = { ...defaultOptions, ...options }
    this.clock = clock
    this.log = log
    this.#dispatcher = new Dispatcher(hub, this)
  }

  get isClosing(): boolean {
    return this.#isClosing
  }

  /** A new connection without a transport. Its token is secret, unless the client has no use for one. */
  accept(caller: Caller, hasSecretToken: boolean): Connection {
    const id = newId()
    const connection = new Connection(this, id, hasSecretToken ? newId() : id, caller)
    this.#byToken.set(connection.token, connection)
    this.#heartbeat ??= this.clock.every(heartbeatMs, () => this.#tick())
    return connection
  }

  find(token: string): Connection | undefined {
    return this.#byToken.get(token)
  }

  connected(connection: Connection): void | PromiseLike<unknown> {
    this.clients.connections.enter(connection)
    return this.hub.onConnected?.(connection)
  }

  dispatch(connection: Connection, message: Message): PromiseLike<void> | undefined {
    return this.#dispatcher.dispatch(connection, message)
  }

  stopped(connection: Connection): void {
    this.clients.connections.leave(connection)
    this.#dispatcher.stopped(connection)
  }

  disconnected(connection: Connection, error: Error | undefined): void | PromiseLike<unknown> {
    return this.hub.onDisconnected?.(connection, error)
  }

  closed(connection: Connection): void {
    this.clients.connections.forget(connection)
    this.#byToken.delete(connection.token)
    if (this.#byToken.size > 0) {
      return
    }
    this.#heartbeat?.()
    this.#heartbeat = undefined
    if (this.#isClosing) {
      this.#allClosed.resolve()
    }
  }

  /** Closes every connection and lets the clients reconnect; what is left after the time limit is dropped. */
  async close(): Promise<void> {
    this.#isClosing = true
    for (const connection of this.#byToken.values()) {
      connection.end({ allowReconnect: true })
    }
    if (this.#byToken.size === 0) {
      return
    }
    const cancel = this.clock.after(this.options.shutdownTimeoutMs, () => {
      for (const connection of this.#byToken.values()) {
        connection.drop()
      }
      this.#heartbeat?.()
      this.#allClosed.resolve()
    })
    await this.#allClosed.promise
    cancel()
  }

  #tick(): void {
    const now = this.clock.monotonic()
    for (const connection of this.#byToken.values()) {
      connection.tick(now)
    }
  }
}

/** 128 random bits, safe in a URL. */
const newId = () => randomBytes(16).toString('base64url')
