import { defer, type Deferred } from './async.ts'
import { OperationCanceledException } from './errors.ts'
import { readHandshake } from './handshaking.ts'
import type { HubOptions } from './options.ts'
import { MessageType, type HubProtocol, type Message } from './protocol/messages.ts'
import { ReceiveBuffer } from './protocol/receive-buffer.ts'
import type { Transport } from './transports/transport.ts'
import type { UnprovedPeer } from './unproved-peer.ts'

/** Who a reader reads for. Where a promise comes back, nothing more is read before it has resolved. */
export interface MessageTarget {
  /** The handshake request asks for `protocol`, which is available. */
  handshakeAccepted(protocol: HubProtocol): PromiseLike<unknown> | undefined
  /** The handshake request can not be fulfilled. */
  handshakeRefused(error: string): void
  /** `bytes`: of the message with its framing. */
  dispatch(message: Message, bytes: number): PromiseLike<unknown> | undefined
  /** The input can not be read, what was waited for has failed, or the client is silent for too long. */
  failed(thrown: unknown): void
}

/** What one connection may have read until others have their turn. */
const messagesInOneGo = 64

/**
 * The receiving side of a connection. It reads one message after the other, and none while something has to be waited
 * for: a transport, the connected callback, an invocation slot or the method that reads a stream. Meanwhile input is
 * taken up to a limit, which slows a fast client down. After many messages in a row it pauses: a client may send
 * thousands in one go.
 */
export class MessageReader {
  readonly #target: MessageTarget
  readonly #options: HubOptions
  readonly #peer: UnprovedPeer | undefined
  readonly #input = new ReceiveBuffer()
  #transport: Transport | undefined
  /** Chosen by the handshake. */
  #protocol: HubProtocol | undefined
  #isWaiting = true
  #isReading = false
  /** Waiting for nothing but the turns of others. */
  #isPausing = false
  #readInOneGo = 0
  #isStopped = false
  /** The transport, waiting for room. */
  #room: Deferred | undefined
  /** Since the last heartbeat. Only the heartbeat reads the clock, once a second for all connections. */
  #hasHeard = false
  #lastHeard = 0
  /** A client that has sent one ping sends more of them: from then on its silence ends the connection. */
  #expectsPings = false

  constructor(target: MessageTarget, options: HubOptions, peer?: UnprovedPeer) {
    this.#target = target
    this.#options = options
    this.#peer = peer
  }

  /** Whether the input ends inside a message. */
  get isMidMessage(): boolean {
    return !this.#isWaiting && this.#input.length > 0
  }

  get #unproved(): UnprovedPeer | undefined {
    return this.#peer?.isProved ? undefined : this.#peer
  }

  /** Takes input. A promise comes back when there is no room for more: it resolves when there is. */
  append(chunk: Buffer): Promise<void> | undefined {
    this.#unproved?.take(chunk.length)
    if (this.#isStopped) {
      return undefined
    }
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
    this.#unproved?.give(this.#input.length)
    this.#input.clear()
    this.#makeRoom()
  }

  /** Nothing more will come: what is there is read without a pause. */
  finish(): void {
    this.#readInOneGo = -Infinity
    if (this.#isPausing) {
      this.#resume()
    }
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
        this.#pauseIfDue()
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
    const unproved = this.#unproved
    const { maxReceiveMessageBytes, maxMessageValues } = unproved?.limits ?? this.#options
    const { length } = this.#input
    const message = this.#protocol.read(this.#input, maxReceiveMessageBytes ?? Infinity, maxMessageValues ?? Infinity)
    if (!message) {
      return false
    }
    unproved?.give(length - this.#input.length)
    unproved?.countMessage()
    if (message.type === MessageType.Ping) {
      this.#expectsPings = true
    }
    this.#waitFor(this.#target.dispatch(message, length - this.#input.length))
    return true
  }

  #readHandshake(): boolean {
    const { length } = this.#input
    const unproved = this.#unproved
    const maxBytes = unproved?.limits.maxReceiveMessageBytes ?? this.#options.maxReceiveMessageBytes
    const answer = this.#transport && readHandshake(this.#input, this.#transport, this.#options, maxBytes)
    if (!answer) {
      return false
    }
    unproved?.give(length - this.#input.length)
    if ('error' in answer) {
      this.#target.handshakeRefused(answer.error)
    } else {
      this.#protocol = answer.protocol
      this.#waitFor(this.#target.handshakeAccepted(answer.protocol))
    }
    return true
  }

  /** The pause is not for the sake of a client that has sent no more. */
  #pauseIfDue(): void {
    if (++this.#readInOneGo < messagesInOneGo || this.#isWaiting || this.#input.length === 0) {
      return
    }
    this.#readInOneGo = 0
    this.#isWaiting = this.#isPausing = true
    setImmediate(() => {
      if (this.#isPausing) {
        this.#resume()
      }
    })
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
    this.#isWaiting = this.#isPausing = false
    this.#hasHeard = true
    this.#read()
    this.#makeRoom()
  }

  /**
   * Never while the reader needs the rest of a message: that must arrive, however long it is. A pause is short, and
   * taking more during it would only make it longer.
   */
  #isFull(): boolean {
    return this.#isPausing || (this.#isWaiting && this.#input.length > this.#options.applicationBufferBytes)
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
