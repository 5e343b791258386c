import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { defer, isPromiseLike, type Deferred } from './async.ts'
import { describe, InvalidDataException, OperationCanceledException, toError } from './errors.ts'
import { acceptHandshake } from './handshaking.ts'
import type { Caller, HubConnection, ProtocolName, TransportName } from './hub.ts'
import type { HubOptions } from './options.ts'
import { handshakeAccepted, handshakeRefused } from './protocol/handshake.ts'
import { jsonProtocol } from './protocol/json.ts'
import { ping, type HubProtocol, type Message, type Payload } from './protocol/messages.ts'
import { ReceiveBuffer } from './protocol/receive-buffer.ts'
import { Pulse } from './pulse.ts'
import type { InvocationState } from './streams.ts'
import type { Transport, TransportPeer } from './transports/transport.ts'

/** What a connection asks of the hub it belongs to. */
export interface ConnectionOwner {
  readonly options: HubOptions
  readonly clock: Clock
  readonly log: Log
  /** The handshake is done. Nothing is read before this has finished; failing ends the connection. */
  connected(connection: Connection): void | PromiseLike<unknown>
  /** A promise makes the connection wait before it reads on. */
  dispatch(connection: Connection, message: Message): Promise<void> | undefined
  /** The connection ends: whatever runs for it is to be cancelled. Always follows a call of `connected`. */
  stopped(connection: Connection): void
  /** After `stopped`, if `connected` went well. */
  disconnected(connection: Connection, error: Error | undefined): void | PromiseLike<unknown>
  /** Nothing is left of the connection. */
  closed(connection: Connection): void
}

/** Why and how a connection ends. */
export interface Ending {
  /** For the disconnect callback and, in the words of the Close message, for the client. */
  error?: Error
  /** The error is the client's own: it is not told again. */
  isKnownToClient?: boolean
  allowReconnect?: boolean
}

type Phase = 'unattached' | 'handshake' | 'connecting' | 'open' | 'ended'

/** One client: handshake, read loop, pings, time-outs, end. */
export class Connection implements HubConnection, TransportPeer {
  readonly id: string
  /** Secret: whoever knows it may attach to this connection. */
  readonly token: string
  caller: Caller
  /** Of the caller who attached the transport; one who changes later is still addressed by this. */
  userId: string | undefined
  state: unknown = undefined
  /** What runs for this connection; kept by the dispatcher. */
  running: InvocationState | undefined
  /** Names of the groups it is in; kept by the registry. */
  groups: Set<string> | undefined
  /** The last request that brought input; kept by the endpoint. */
  lastPost: Promise<void> | undefined

  readonly #owner: ConnectionOwner
  readonly #input = new ReceiveBuffer()
  #transport: Transport | undefined
  #protocol: HubProtocol = jsonProtocol
  #phase: Phase = 'unattached'
  #abort: AbortController | undefined
  /** The reader waits: for the connected callback, an invocation slot or a stream's reader. */
  #isBlocked = false
  #isReading = false
  #roomForInput: Deferred | undefined
  #roomForOutput: Deferred | undefined
  #error: Error | undefined
  #hasCallbacksDone = true
  #isTransportClosed = false

  /** Of the present phase. */
  #since: number
  readonly #pulse: Pulse

  constructor(owner: ConnectionOwner, id: string, token: string, caller: Caller) {
    this.#owner = owner
    this.id = id
    this.token = token
    this.caller = caller
    this.#since = owner.clock.monotonic()
    this.#pulse = new Pulse(this.#since)
  }

  get protocol(): ProtocolName {
    return this.#protocol.name
  }

  get transport(): TransportName {
    return this.#transport?.name ?? 'WebSockets'
  }

  get attached(): Transport | undefined {
    return this.#transport
  }

  get isEnded(): boolean {
    return this.#phase === 'ended'
  }

  get isConnecting(): boolean {
    return this.#phase === 'connecting'
  }

  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController()
      if (this.isEnded) {
        this.#abort.abort()
      }
    }
    return this.#abort.signal
  }

  abort(options?: { allowReconnect?: boolean }): void {
    this.end({ allowReconnect: options?.allowReconnect ?? false })
  }

  /** Starts the hub side over `transport`, with what was received before. */
  attach(transport: Transport, caller: Caller): void {
    this.caller = caller
    this.userId = caller.userId
    this.#transport = transport
    this.#phase = 'handshake'
    this.#since = this.#owner.clock.monotonic()
    this.#read()
    this.#releaseInput()
  }

  receive(chunk: Buffer): Promise<void> | undefined {
    if (this.isEnded) {
      return undefined
    }
    this.#input.append(chunk)
    this.#read()
    return this.#isInputFull() ? (this.#roomForInput ??= defer()).promise : undefined
  }

  drained(): void {
    const room = this.#roomForOutput
    this.#roomForOutput = undefined
    room?.resolve()
  }

  transportClosed(isClean: boolean): void {
    if (this.#isTransportClosed) {
      return
    }
    this.#isTransportClosed = true
    if (this.isEnded) {
      this.#closeIfDone()
    } else if (isClean && this.#phase === 'open' && !this.#isBlocked && this.#input.length > 0) {
      this.cutOff()
    } else {
      this.end({})
    }
  }

  /** Ends it because the rest of a message will never come. */
  cutOff(): void {
    this.end({
      error: new InvalidDataException('Connection terminated while reading a message.'),
      allowReconnect: true,
    })
  }

  /** Sends a message. A promise comes back when the client is slow to read: sending more should wait for it. */
  send(message: Message): Promise<void> | undefined {
    if (this.isEnded) {
      return undefined
    }
    let payload: Payload
    try {
      payload = this.#protocol.write(message)
    } catch (thrown) {
      this.end({ error: toError(thrown), allowReconnect: true })
      return undefined
    }
    return this.sendPayload(payload)
  }

  /** Sends what was written already, in the protocol of this connection. */
  sendPayload(payload: Payload): Promise<void> | undefined {
    const transport = this.#transport
    if (this.isEnded || !transport) {
      return undefined
    }
    transport.write(payload)
    if (transport.bufferedBytes <= this.#owner.options.transportBufferBytes) {
      return undefined
    }
    return (this.#roomForOutput ??= defer()).promise
  }

  /** From its first ping on, a client is expected to be heard of. */
  pinged(): void {
    this.#pulse.watch()
  }

  end(ending: Ending): void {
    const phase = this.#phase
    if (phase === 'ended') {
      return
    }
    this.#phase = 'ended'
    this.#error = ending.error
    this.#since = this.#owner.clock.monotonic()
    if (phase === 'connecting' || phase === 'open') {
      this.#writeClose(ending)
      this.#abort?.abort()
      this.#owner.stopped(this)
    }
    this.#input.clear()
    this.drained()
    this.#releaseInput()
    // While the connected callback still runs, its end goes on from here.
    if (phase === 'open') {
      this.#finish()
    } else if (phase !== 'connecting') {
      this.#endTransport()
    }
  }

  /** Cuts the connection off, without a word. */
  drop(): void {
    if (this.#transport) {
      this.#transport.destroy()
    } else {
      this.transportClosed(false)
    }
  }

  /** Called by the heartbeat. */
  tick(now: number): void {
    const { options } = this.#owner
    const waitedMs = now - this.#since
    if (this.#phase === 'unattached') {
      if (waitedMs >= options.disconnectTimeoutMs) {
        this.transportClosed(false)
      }
      return
    }
    const transport = this.#transport as Transport
    transport.tick?.(now)
    if (this.#pulse.isWriteStuck(transport, now, options)) {
      this.end({ error: new OperationCanceledException('The client did not read what was sent to it.') })
      transport.destroy()
    } else if (this.#phase === 'handshake') {
      if (waitedMs >= options.handshakeTimeoutMs) {
        this.#refuse('Handshake was canceled.')
      }
    } else if (this.#phase === 'ended') {
      if (transport.writeMark !== undefined) {
        this.#since = now
      } else if (transport.isContinuous && waitedMs >= options.socketCloseTimeoutMs) {
        transport.destroy()
      }
    } else {
      if (this.#pulse.isPingDue(transport, now, options)) {
        void this.send(ping)
      }
      // The time stands still while the reader is busy with a message.
      if (this.#isBlocked) {
        this.#pulse.heard()
      }
      if (this.#pulse.isClientSilent(now, options)) {
        this.end({ error: clientSilent(), allowReconnect: true })
      }
    }
  }

  /** Takes messages for as long as there are whole ones and nothing has to be waited for. */
  #read(): void {
    if (this.#isReading) {
      return
    }
    this.#isReading = true
    try {
      while (!this.#isBlocked && this.#readOne()) {}
    } catch (thrown) {
      this.end({ error: toError(thrown), allowReconnect: true })
    } finally {
      this.#isReading = false
    }
  }

  #readOne(): boolean {
    if (this.#phase === 'handshake') {
      return this.#readHandshake()
    }
    if (this.#phase !== 'open') {
      return false
    }
    const message = this.#protocol.read(this.#input, this.#owner.options.maxReceiveMessageBytes ?? Infinity)
    if (!message) {
      return false
    }
    this.#pulse.heard()
    const wait = this.#owner.dispatch(this, message)
    if (wait) {
      this.#waitFor(wait)
    }
    return true
  }

  #waitFor(wait: PromiseLike<unknown>): void {
    this.#isBlocked = true
    wait.then(
      () => this.#goOn(),
      (thrown: unknown) => {
        this.end({ error: toError(thrown), allowReconnect: true })
        this.#goOn()
      },
    )
  }

  #goOn(): void {
    this.#isBlocked = false
    this.#pulse.heard()
    this.#read()
    this.#releaseInput()
  }

  #isInputFull(): boolean {
    // Only a reader that waits for something else may stop the input: one that waits for the rest of a message must not.
    const isWaiting = this.#isBlocked || this.#phase === 'unattached'
    return isWaiting && this.#input.length > this.#owner.options.applicationBufferBytes
  }

  #releaseInput(): void {
    const room = this.#roomForInput
    if (!room || this.#isInputFull()) {
      return
    }
    this.#roomForInput = undefined
    room.resolve()
  }

  #readHandshake(): boolean {
    const transport = this.#transport as Transport
    const answer = acceptHandshake(this.#input, transport, this.#owner.options)
    if (answer === undefined) {
      return false
    }
    if ('error' in answer) {
      this.#refuse(answer.error)
      return false
    }
    this.#protocol = answer.protocol
    transport.format = answer.protocol.format
    transport.write(handshakeAccepted)
    this.#open()
    return true
  }

  /** A failed handshake is answered, and that is all: no Close, no callbacks. */
  #refuse(error: string): void {
    this.#transport?.write(handshakeRefused(error))
    this.end({})
  }

  #open(): void {
    this.#phase = 'connecting'
    this.#hasCallbacksDone = false
    try {
      const wait = this.#owner.connected(this)
      if (!isPromiseLike(wait)) {
        return this.#opened()
      }
      this.#waitFor(
        wait.then(
          () => this.#opened(),
          (thrown: unknown) => this.#failedToOpen(thrown),
        ),
      )
    } catch (thrown) {
      this.#failedToOpen(thrown)
    }
  }

  #opened(): void {
    if (this.isEnded) {
      this.#finish()
    } else {
      this.#phase = 'open'
    }
  }

  /** A client that was never connected is not disconnected either. */
  #failedToOpen(thrown: unknown): void {
    const error = toError(thrown)
    this.#owner.log.error({ err: error, connectionId: this.id }, 'the connected callback failed')
    this.end({ error, allowReconnect: false })
    this.#callbacksDone()
  }

  #writeClose({ error, isKnownToClient, allowReconnect = false }: Ending): void {
    if (this.#isTransportClosed) {
      return
    }
    const text =
      error && !isKnownToClient
        ? describe('Connection closed with an error.', error, this.#owner.options.detailedErrors)
        : undefined
    this.#transport?.write(this.#protocol.write({ type: 7, error: text, allowReconnect }))
  }

  /** Runs the disconnect callback, then ends the transport. */
  #finish(): void {
    const failed = (thrown: unknown) => {
      this.#owner.log.error({ err: toError(thrown), connectionId: this.id }, 'the disconnected callback failed')
      this.#callbacksDone()
    }
    try {
      const wait = this.#owner.disconnected(this, this.#error)
      if (isPromiseLike(wait)) {
        wait.then(() => this.#callbacksDone(), failed)
      } else {
        this.#callbacksDone()
      }
    } catch (thrown) {
      failed(thrown)
    }
  }

  #callbacksDone(): void {
    this.#hasCallbacksDone = true
    this.#endTransport()
  }

  #endTransport(): void {
    if (!this.#transport) {
      this.#isTransportClosed = true
    } else if (!this.#isTransportClosed) {
      this.#transport.end()
    }
    this.#closeIfDone()
  }

  #closeIfDone(): void {
    if (this.#isTransportClosed && this.#hasCallbacksDone) {
      this.#owner.closed(this)
    }
  }
}

const clientSilent = () =>
  new OperationCanceledException("Client hasn't sent a message/ping within the configured ClientTimeoutInterval.")
