import { randomBytes } from 'node:crypto'
import { pause, TimeSlice, type Cancel, type Clock } from '../../ground/clock.ts'
import { AddressCounts } from '../flow/address-counts.ts'
import { FairQueue } from '../flow/fair-queue.ts'
import type { Log } from '../../ground/log.ts'
import type { Clients } from './clients.ts'
import { Connection, type ConnectionOwner } from './connection.ts'
import { Dispatcher } from './dispatcher.ts'
import type { Caller, Hub, HubContext } from './hub.ts'
import { defaultOptions, type HubOptions } from './options.ts'
import type { Message } from './protocol/messages.ts'

const heartbeatMs = 1_000
/** Gap between two heartbeats that means the process was suspended. */
const lateMs = 5_000
/** Interval in which a draining hub ends some of its connections; a late one, on a busy machine, counts up to the longest. */
const drainStepMs = 20
const longestDrainStepMs = 100

export interface HubEngineDependencies {
  hub: Hub
  clients: Clients
  options?: Partial<HubOptions>
  clock: Clock
  log: Log
}

/** A hub with its connections over all transports. */
export class HubEngine implements ConnectionOwner {
  readonly hub: Hub
  readonly clients: Clients
  readonly options: HubOptions
  readonly clock: Clock
  readonly log: Log
  readonly busy = new FairQueue()
  readonly #dispatcher: Dispatcher
  readonly #hubContext: HubContext
  /** Connections by token, including those before their handshake and those still closing. */
  readonly #byToken = new Map<string, Connection>()
  readonly addresses = new AddressCounts()
  #heartbeat: Cancel | undefined
  #lastTick = 0
  #isTicking = false
  #isClosing = false
  /** Whether the time limit of `close` has passed. */
  #isOverdue = false
  #rejectsNew = false
  #allClosed = Promise.withResolvers<void>()

  constructor({ hub, clients, options, clock, log }: HubEngineDependencies) {
    this.hub = hub
    this.clients = clients
    this.options = { ...defaultOptions, ...options }
    this.clock = clock
    this.log = log
    this.#dispatcher = new Dispatcher(hub, this)
    this.#hubContext = { clients, groups: clients.connections }
  }

  get rejectsNew(): boolean {
    return this.#rejectsNew
  }

  /** Creates a connection without a transport. Its token is secret, unless the client cannot use a secret token. */
  accept(caller: Caller, { hasSecretToken }: { hasSecretToken: boolean }): Connection {
    const { idSuffix } = this.options
    const id = newId() + idSuffix
    const connection = new Connection(this, id, hasSecretToken ? newId() + idSuffix : id, caller)
    this.#byToken.set(connection.token, connection)
    const { countedAddressOf, maxConnectionsOf } = this.options
    this.addresses.add(countedAddressOf(caller.remoteAddress), maxConnectionsOf(caller.remoteAddress))
    if (!this.#heartbeat) {
      this.#lastTick = this.clock.monotonic()
      this.#heartbeat = this.clock.every(heartbeatMs, () => this.#tick())
    }
    return connection
  }

  /** Finds the connection with this token, if `caller` opened it. */
  find(token: string, caller: Caller): Connection | undefined {
    const connection = this.#byToken.get(token)
    return connection && identityOf(connection.caller) === identityOf(caller) ? connection : undefined
  }

  hasRoomFor(remoteAddress: string): boolean {
    const { maxConnectionsOf, countedAddressOf } = this.options
    return this.addresses.of(countedAddressOf(remoteAddress)) < maxConnectionsOf(remoteAddress)
  }

  connected(connection: Connection): void | PromiseLike<unknown> {
    this.clients.connections.enter(connection)
    return this.hub.onConnected?.(connection, this.#hubContext)
  }

  dispatch(connection: Connection, message: Message, bytes: number): PromiseLike<void> | undefined {
    return this.#dispatcher.dispatch(connection, message, bytes)
  }

  stopped(connection: Connection): void {
    this.clients.connections.leave(connection)
    this.#dispatcher.stopped(connection)
  }

  disconnected(connection: Connection, error: Error | undefined): void | PromiseLike<unknown> {
    return this.#isOverdue ? undefined : this.hub.onDisconnected?.(connection, error, this.#hubContext)
  }

  closed(connection: Connection): void {
    // Both the callbacks and the transport of a connection may report that they were the last.
    if (!this.#byToken.delete(connection.token)) {
      return
    }
    this.clients.connections.forget(connection)
    this.addresses.remove(this.options.countedAddressOf(connection.remoteAddress))
    if (this.#byToken.size > 0) {
      return
    }
    this.#heartbeat?.()
    this.#heartbeat = undefined
    if (this.#isClosing) {
      this.#allClosed.resolve()
    }
  }

  /**
   * Rejects new connections and ends the open ones, `perSecond` at most, so that other servers can take the clients. Clients
   * with a running call are ended once it is answered. Resolves when all are ended, or when `signal` aborts.
   */
  async drain(perSecond: number, signal: AbortSignal): Promise<void> {
    this.#rejectsNew = true
    const isOpen = (connection: Connection) => !connection.isEnded
    const isIdle = (connection: Connection) =>
      connection.running?.isBusy !== true && !this.clients.isAwaited(connection.id)
    let lastAt = this.clock.monotonic() - drainStepMs
    while (!signal.aborted && this.#byToken.values().some(isOpen)) {
      const passedMs = Math.min(this.clock.monotonic() - lastAt, longestDrainStepMs)
      lastAt = this.clock.monotonic()
      const ending = this.#byToken.values().filter((connection) => isOpen(connection) && isIdle(connection))
      ending.take((perSecond * passedMs) / 1000).forEach((connection) => this.#endToReconnect(connection))
      await pause(this.clock, drainStepMs, signal)
    }
  }

  /**
   * Closes every connection and lets the clients reconnect. After the time limit the remaining connections are dropped without
   * their disconnected callbacks: what the callbacks store of many thousands would delay what the server stores after them.
   * Yields: the first ends of many thousands are sent and stored while the next ones are begun.
   */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#rejectsNew = true
    const cancel = this.clock.after(this.options.shutdownTimeoutMs, () => {
      this.#isOverdue = true
      for (const connection of this.#byToken.values()) {
        connection.drop()
      }
      this.#heartbeat?.()
      this.#allClosed.resolve()
    })
    const slice = new TimeSlice()
    for (const connection of this.#byToken.values()) {
      if (this.#isOverdue) {
        break
      }
      this.#endToReconnect(connection)
      if (slice.isOver) {
        await slice.yield()
      }
    }
    if (this.#byToken.size > 0) {
      await this.#allClosed.promise
    }
    cancel()
  }

  /** A client between two polls may be gone: its connection is dropped at once, and its next poll fails and reconnects. */
  #endToReconnect(connection: Connection): void {
    const { isReachable } = connection
    connection.end({ allowReconnect: true })
    if (!isReachable) {
      connection.drop()
    }
  }

  /**
   * After a stall, such as system sleep, the clients' messages are buffered but unread. They are read before silence is
   * checked; otherwise all clients would be disconnected at once.
   */
  #tick(): void {
    const now = this.clock.monotonic()
    const isLate = now - this.#lastTick > lateMs
    this.#lastTick = now
    if (isLate) {
      setImmediate(() => void this.#tickAll(now))
    } else {
      void this.#tickAll(now)
    }
  }

  /** Yields, because the pings of thousands of connections take longer than a time slice. */
  async #tickAll(now: number): Promise<void> {
    if (this.#isTicking) {
      return
    }
    this.#isTicking = true
    try {
      const slice = new TimeSlice()
      for (const connection of this.#byToken.values()) {
        connection.tick(now)
        if (slice.isOver) {
          await slice.yield()
        }
      }
    } finally {
      this.#isTicking = false
    }
  }
}

const identityOf = ({ identity, userId }: Caller) => identity ?? userId

/** 128 random bits, safe in a URL. */
const newId = () => randomBytes(16).toString('base64url')
