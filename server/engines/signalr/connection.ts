import type { Clock } from '../../ground/clock.ts'
import type { Log } from '../../ground/log.ts'
import type { FairQueue } from '../flow/fair-queue.ts'
import { attempt } from './attempt.ts'
import type { HeldInput } from '../flow/input-budget.ts'
import { InvalidDataException, OperationCanceledException, toError } from './errors.ts'
import type { Caller, EndedBy, Hub, HubConnection, ProtocolName, TransportName } from './hub.ts'
import { MessageReader, type MessageTarget } from './message-reader.ts'
import { MessageSender, type Ending } from './message-sender.ts'
import type { HubOptions } from './options.ts'
import type { HubProtocol, Message, Payload } from './protocol/messages.ts'
import type { InvocationState } from './streams.ts'
import type { Transport, TransportPeer } from './transports/transport.ts'
import { UnprovedPeer } from './unproved-peer.ts'

/** Callbacks and settings a connection needs from its hub. */
export interface ConnectionOwner {
  readonly hub: Hub
  readonly options: HubOptions
  readonly clock: Clock
  readonly log: Log
  /** Clients that have sent many messages within a second, by user or address. */
  readonly busy: FairQueue
  /** Called after the handshake. Reading starts when the callback has finished; a failure ends the connection. */
  connected(connection: Connection): void | PromiseLike<unknown>
  /** A returned promise pauses reading until it resolves. */
  dispatch(connection: Connection, message: Message, bytes: number): PromiseLike<void> | undefined
  /** Called when the connection ends, to cancel all its calls. Always follows a call of `connected`. */
  stopped(connection: Connection): void
  /** Called after `stopped`, if `connected` succeeded. */
  disconnected(connection: Connection, error: Error | undefined): void | PromiseLike<unknown>
  /** Called when transport and callbacks are done. */
  closed(connection: Connection): void
}

type Phase = 'unattached' | 'handshake' | 'connecting' | 'open' | 'ended'

/** A client, from its handshake to its end. */
export class Connection implements HubConnection, TransportPeer, MessageTarget {
  readonly id: string
  /** Secret: any client that knows the token may attach to this connection. */
  readonly token: string
  readonly hub: Hub
  /** Identity whose requests are accepted; a later poll may bring a newer description of the same caller. */
  caller: Caller
  /** Name by which `user(id)` addresses the connection. */
  readonly userId: string | undefined
  /** Address that opened the connection; never changes. */
  readonly remoteAddress: string
  state: unknown = undefined
  endedBy: EndedBy | undefined
  /** Running calls of this connection; managed by the dispatcher. */
  running: InvocationState | undefined
  /** Names of the connection's groups; managed by the registry. */
  groups: Set<string> | undefined
  /** Last POST with input; managed by the endpoint. */
  lastPost: Promise<void> | undefined
  /** Limits of the peer; undefined once it is proved. */
  unproved: UnprovedPeer | undefined

  readonly #owner: ConnectionOwner
  readonly #reader: MessageReader
  #sender: MessageSender | undefined
  #phase: Phase = 'unattached'
  /** Start of the current phase. */
  #since: number
  #abort: AbortController | undefined
  #error: Error | undefined
  #hasCallbacksDone = true
  #isTransportClosed = false
  /** User, proved owner or counted address: all connections of one share its places in queues and budgets. */
  #payer: string
  /** Unfinished messages of the authenticated client. */
  #unfinished: HeldInput | undefined
  /** Output that the authenticated client has not read. */
  #unsent: HeldInput | undefined

  constructor(owner: ConnectionOwner, id: string, token: string, caller: Caller) {
    this.#owner = owner
    this.id = id
    this.token = token
    this.hub = owner.hub
    this.caller = caller
    this.userId = caller.userId
    this.remoteAddress = caller.remoteAddress
    this.#since = owner.clock.monotonic()
    const { unproved, countedAddressOf } = owner.options
    this.#payer = caller.payer ?? caller.userId ?? countedAddressOf(caller.remoteAddress)
    this.unproved =
      unproved &&
      new UnprovedPeer(unproved, countedAddressOf(caller.remoteAddress), () => {
        this.end({ allowReconnect: true })
        this.drop()
      })
    this.#reader = new MessageReader(this, owner.options, this.unproved)
    if (caller.userId !== undefined) {
      this.#openBudgets()
    }
  }

  get hasSecretToken(): boolean {
    return this.token !== this.id
  }

  get protocol(): ProtocolName {
    return this.#sender?.protocol.name ?? 'json'
  }

  get transport(): TransportName {
    return this.attached?.name ?? 'WebSockets'
  }

  get attached(): Transport | undefined {
    return this.#sender?.transport
  }

  get isEnded(): boolean {
    return this.#phase === 'ended'
  }

  get isConnecting(): boolean {
    return this.#phase === 'connecting'
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    if (this.isEnded) {
      this.#abort.abort()
    }
    return this.#abort.signal
  }

  prove(owner: string): void {
    this.unproved?.prove()
    this.unproved = undefined
    this.#reader.proved()
    this.#payer = owner
    this.#openBudgets()
  }

  abort(options?: { allowReconnect?: boolean }): void {
    this.end({ allowReconnect: options?.allowReconnect ?? false })
  }

  /** Starts the hub side over `transport`, including input received before. */
  attach(transport: Transport, caller: Caller): void {
    this.caller = caller
    this.#phase = 'handshake'
    this.#since = this.#owner.clock.monotonic()
    this.#sender = new MessageSender(transport, this.#owner.options, this.#since)
    this.#reader.start(transport)
  }

  receive(chunk: Buffer): Promise<void> | undefined {
    return this.isEnded ? undefined : this.#reader.append(chunk)
  }

  drained(): void {
    this.#countUnsent()
    this.#sender?.drained()
  }

  /** Accepts the handshake, then runs the connected callback. */
  handshakeAccepted(protocol: HubProtocol): PromiseLike<void> | undefined {
    this.#sender?.acceptHandshake(protocol)
    this.#phase = 'connecting'
    this.#hasCallbacksDone = false
    return attempt(
      () => this.#owner.connected(this),
      () => this.#connected(),
      (thrown) => this.#failedToConnect(thrown),
    )
  }

  /** Sends the error; neither a Close message nor a callback follows. */
  handshakeRefused(error: string): void {
    this.#sender?.refuseHandshake(error)
    this.end({})
  }

  queue(read: () => void): void {
    this.#owner.busy.add(this.#payer, read)
  }

  dispatch(message: Message, bytes: number): PromiseLike<void> | undefined {
    return this.#owner.dispatch(this, message, bytes)
  }

  /** Ends the connection with an error that allows the client to reconnect. */
  failed(thrown: unknown): void {
    const error = toError(thrown)
    if (error instanceof InvalidDataException && !this.isEnded) {
      // Unauthenticated clients must not fill the log.
      const level = this.unproved ? 'debug' : 'info'
      this.#owner.log[level]({ err: error, connectionId: this.id }, 'A client sent invalid data.')
    }
    const endedBy = error instanceof OperationCanceledException ? 'silence' : 'server'
    this.end({ error, allowReconnect: true, endedBy })
  }

  transportClosed(isClean: boolean): void {
    if (this.#isTransportClosed) {
      return
    }
    this.#isTransportClosed = true
    this.#reader.finish()
    if (this.isEnded) {
      this.#closeIfDone()
    } else if (isClean && this.#phase === 'open' && this.#reader.isMidMessage) {
      this.cutOff()
    } else {
      this.end({ endedBy: isClean ? 'client' : 'break' })
    }
  }

  /** Ends the connection because the rest of a message is missing. */
  cutOff(): void {
    this.failed(new InvalidDataException('Connection terminated while reading a message.'))
  }

  /** Sends a message. Returns a promise when the client reads slowly; wait for the promise before sending more. */
  send(message: Message): Promise<void> | undefined {
    if (this.isEnded) {
      return undefined
    }
    try {
      return this.#unlessOverfull(this.#sender?.send(message))
    } catch (thrown) {
      this.failed(thrown)
      return undefined
    }
  }

  /** Sends a message that is already encoded in the protocol of this connection. */
  sendPayload(payload: Payload): Promise<void> | undefined {
    return this.isEnded ? undefined : this.#unlessOverfull(this.#sender?.sendPayload(payload))
  }

  end(ending: Ending): void {
    const phase = this.#phase
    if (phase === 'ended') {
      return
    }
    this.#phase = 'ended'
    this.#error = ending.error
    this.endedBy = ending.endedBy ?? 'server'
    this.#since = this.#owner.clock.monotonic()
    const hasBegun = phase === 'connecting' || phase === 'open'
    if (hasBegun && !this.#isTransportClosed) {
      this.#sender?.sendClose(ending)
    }
    this.#abort?.abort()
    if (hasBegun) {
      this.#owner.stopped(this)
    }
    this.#reader.stop()
    this.#sender?.drained()
    // While the connected callback runs, the shutdown continues after that callback returns.
    if (phase === 'open') {
      this.#disconnected()
    } else if (phase !== 'connecting') {
      this.#endTransport()
    }
  }

  /** Destroys the transport without a Close message. */
  drop(): void {
    if (this.#sender) {
      this.#sender.transport.destroy()
    } else {
      this.transportClosed(false)
    }
  }

  /** Whether the client would receive a Close message. */
  get isReachable(): boolean {
    return this.#sender?.transport.isReachable ?? true
  }

  /** Called by the heartbeat. */
  tick(now: number): void {
    const { options } = this.#owner
    const waitedMs = now - this.#since
    const sender = this.#sender
    if (!sender) {
      if (waitedMs >= options.disconnectTimeoutMs) {
        this.transportClosed(false)
      }
      return
    }
    const { transport } = sender
    transport.tick?.(now)
    this.#countUnsent()
    if (sender.isStuck(now)) {
      this.#endUnread()
    } else if (this.#phase === 'handshake') {
      if (waitedMs >= options.handshakeTimeoutMs) {
        this.handshakeRefused('Handshake was canceled.')
      }
    } else if (this.#phase === 'ended') {
      if (transport.writeMark !== undefined) {
        this.#since = now
      } else if (transport.isContinuous && waitedMs >= this.#closeTimeoutMs) {
        transport.destroy()
      }
    } else {
      sender.pingIfDue(now)
      this.#reader.checkSilence(now)
    }
  }

  /** Ends the connection of a client that does not read. */
  #endUnread(): void {
    this.end({
      error: new OperationCanceledException('The client did not read its messages in time.'),
      endedBy: 'silence',
    })
    this.#sender?.transport.destroy()
  }

  /** Ends the connection when too much output waits: pushes do not wait for a slow reader. */
  #unlessOverfull(wait: Promise<void> | undefined): Promise<void> | undefined {
    if (wait && this.#sender?.isOverfull) {
      this.#endUnread()
    }
    this.#countUnsent()
    return wait
  }

  /** Counts the output that waits for the client. Ends the connection, or another, when the budget is full. */
  #countUnsent(): void {
    this.#unsent?.set(this.attached?.bufferedBytes ?? 0)
  }

  #openBudgets(): void {
    this.#unfinished ??= this.#owner.options.unfinished?.open(this.#payer, {
      drop: () => {
        this.end({ allowReconnect: true })
        this.drop()
      },
    })
    this.#reader.count(this.#unfinished)
    this.#unsent ??= this.#owner.options.unsent?.open(this.#payer, { drop: () => this.#endUnread() })
  }

  /** No wait for an unproved peer's half of the closing handshake: its input costs CPU and memory. */
  get #closeTimeoutMs(): number {
    return this.unproved ? 0 : this.#owner.options.socketCloseTimeoutMs
  }

  #connected(): void {
    if (this.isEnded) {
      this.#disconnected()
    } else {
      this.#phase = 'open'
    }
  }

  /** A failed connected callback is not followed by a disconnected callback. */
  #failedToConnect(thrown: unknown): void {
    const error = toError(thrown)
    this.#owner.log.error({ err: error, connectionId: this.id }, 'The connected callback failed.')
    this.end({ error, allowReconnect: false })
    this.#endTransport()
  }

  /** Runs the disconnected callback, then ends the transport. */
  #disconnected(): void {
    void attempt(
      () => this.#owner.disconnected(this, this.#error),
      () => this.#endTransport(),
      (thrown) => {
        const fields = { err: toError(thrown), connectionId: this.id }
        this.#owner.log.error(fields, 'The disconnected callback failed.')
        this.#endTransport()
      },
    )
  }

  /** Called when the callbacks are done. */
  #endTransport(): void {
    this.#hasCallbacksDone = true
    if (!this.#sender) {
      this.#isTransportClosed = true
    } else if (!this.#isTransportClosed) {
      this.#sender.transport.end()
    }
    this.#closeIfDone()
  }

  #closeIfDone(): void {
    if (this.#isTransportClosed && this.#hasCallbacksDone) {
      this.unproved?.close()
      this.#unfinished?.close()
      this.#unsent?.close()
      this.#owner.closed(this)
    }
  }
}
