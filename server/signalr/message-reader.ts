import { defer, type Deferred } from './async.ts'
import { OperationCanceledException } from './errors.ts'
import { readHandshake } from './handshaking.ts'
import type { HubOptions } from './options.ts'
import { MessageType, type HubProtocol, type Message } from './protocol/messages.ts'
import { ReceiveBuffer } from './protocol/receive-buffer.ts'
import type { Transport } from './transports/transport.ts'

/** So many messages are read before all other connections have their turn. */
const messagesPerTurn = 1_000

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Who a reader reads for. Where a promise comes back, nothing more is read before it has resolved. */
export interface MessageTarget {
  /** The handshake request asks for `protocol`, which is available. */
  handshakeAccepted(protocol: HubProtocol): PromiseLike<unknown> | undefined
  /** The handshake request can not be fulfilled. */
  handshakeRefused(error: string): void
  dispatch(message: Message): PromiseLike<unknown> | undefined
  /** The input can not be read, what was waited for has failed, or the client is silent for too long. */
  failed(thrown: unknown): void
}

/**
 * The receiving side of a connection. It reads one message after the other, and none while something has to be waited
 * for: a transport, the connected callback, an invocation slot or the method that reads a stream. Meanwhile input is
 * taken up to a limit, which slows a fast client down.
 */
export class MessageReader {
  readonly #target: MessageTarget
  readonly #options: HubOptions
  readonly #input = new ReceiveBuffer()
  #transport: Transport | undefined
  /** Chosen by the handshake. */
  #protocol: HubProtocol | undefined
  #isWaiting = true
  #isReading = false
  #isStopped = false
  /** The transport, waiting for room. */
  #room: Deferred | undefined
  #readInTurn = 0
  /** Since the last heartbeat. Only the heartbeat reads the clock, once a second for all connections. */
  #hasHeard = false
  #lastHeard = 0
  /** A client that has sent one ping sends more of them: from then on its silence ends the connection. */
  #expectsPings = false

  constructor(target: MessageTarget, options: HubOptions) {
    this.#target = target
    this.#options = options
  }

  /** Whether the input ends inside a message. */
  get isMidMessage(): boolean {
    return !this.#isWaiting && this.#input.length > 0
  }

  /** Takes input. A promise comes back when there is no room for more: it resolves when there is. */
  append(chunk: Buffer): Promise<void> | undefined {
    this.#input.append(chunk)
    this.#read()
    return this.#isFull() ? (this.#room ??= defer()).promise : undefined
  }

  /** Begins to read, with what was received before there was a transport. */
  start(transport: Transport): void {
    this.#transport = transport
    this.#resume()
  }

  /** Reads no more and drops the input. */
  stop(): void {
    this.#isStopped = true
    this.#input.clear()
    this.#makeRoom()
  }

  /** Called by the heartbeat. While the reader waits it reads nothing, so the timeout is suspended. */
  checkSilence(now: number): void {
    if (this.#hasHeard || this.#isWaiting) {
      this.#hasHeard = false
      this.#lastHeard = now
    }
    if (this.#expectsPings && now - this.#lastHeard >= this.#options.clientTimeoutMs) {
      this.#target.failed(clientSilent())
    }
  }

  /** Reads for as long as there are whole messages and nothing has to be waited for. */
  #read(): void {
    if (this.#isReading) {
      return
    }
    this.#isReading = true
    try {
      while (!this.#isWaiting && !this.#isStopped && this.#readOne()) {
        this.#hasHeard = true
      }
    } catch (thrown) {
      this.#target.failed(thrown)
    } finally {
      this.#isReading = false
    }
  }

  #readOne(): boolean {
    if (!this.#protocol) {
      return this.#readHandshake()
    }
    const { maxReceiveMessageBytes, maxMessageValues } = this.#options
    const message = this.#protocol.read(this.#input, maxReceiveMessageBytes ?? Infinity, maxMessageValues ?? Infinity)
    if (!message) {
      return false
    }
    if (message.type === MessageType.Ping) {
      this.#expectsPings = true
    }
    this.#waitFor(this.#target.dispatch(message) ?? this.#turn())
    return true
  }

  /** Many small messages in one go may not hold up everybody else. */
  #turn(): Promise<void> | undefined {
    this.#readInTurn = (this.#readInTurn + 1) % messagesPerTurn
    return this.#readInTurn === 0 ? nextTurn() : undefined
  }

  #readHandshake(): boolean {
    const answer = this.#transport && readHandshake(this.#input, this.#transport, this.#options)
    if (!answer) {
      return false
    }
    if ('error' in answer) {
      this.#target.handshakeRefused(answer.error)
    } else {
      this.#protocol = answer.protocol
      this.#waitFor(this.#target.handshakeAccepted(answer.protocol))
    }
    return true
  }

  #waitFor(wait: PromiseLike<unknown> | undefined): void {
    if (!wait) {
      return
    }
    this.#isWaiting = true
    wait.then(
      () => this.#resume(),
      (thrown: unknown) => {
        this.#target.failed(thrown)
        this.#resume()
      },
    )
  }

  #resume(): void {
    this.#isWaiting = false
    this.#hasHeard = true
    this.#read()
    this.#makeRoom()
  }

  /** Never while the reader needs the rest of a message: that must arrive, however long it is. */
  #isFull(): boolean {
    return this.#isWaiting && this.#input.length > this.#options.applicationBufferBytes
  }

  #makeRoom(): void {
    const room = this.#room
    if (!room || this.#isFull()) {
      return
    }
    this.#room = undefined
    room.resolve()
  }
}

const clientSilent = () =>
  new OperationCanceledException("Client hasn't sent a message/ping within the configured ClientTimeoutInterval.")
