import type { HeldInput } from '../flow/input-budget.ts'
import { OperationCanceledException } from './errors.ts'
import { readHandshake } from './handshaking.ts'
import type { HubOptions } from './options.ts'
import { MessageType, type HubProtocol, type Message } from './protocol/messages.ts'
import { ReceiveBuffer } from './protocol/receive-buffer.ts'
import type { Transport } from './transports/transport.ts'
import type { UnprovedPeer } from './unproved-peer.ts'

/** The owner of a reader. Reading pauses until a returned promise resolves. */
export interface MessageTarget {
  /** Called when the handshake request asks for `protocol`, which is available. */
  handshakeAccepted(protocol: HubProtocol): PromiseLike<unknown> | undefined
  /** Called when the handshake request is rejected. */
  handshakeRefused(error: string): void
  /** `bytes`: size of the message with its framing. */
  dispatch(message: Message, bytes: number): PromiseLike<unknown> | undefined
  /** Called when the input is invalid, an awaited promise has failed, or the client has been silent for too long. */
  failed(thrown: unknown): void
  /** Calls `read` when the fair queue of busy clients admits this one. */
  queue(read: () => void): void
}

/** Messages read from one connection before the reader yields: the dearest calls take 0.2 ms each. */
const messagesPerYield = 16

/**
 * The receiving side of a connection. It reads one message at a time, and pauses while a promise is pending: for a
 * transport, the connected callback, an invocation slot or the method that reads a stream. Meanwhile input is buffered
 * up to a limit, which is the back-pressure on a fast client. After some messages within a second the reader waits in the
 * fair queue of busy clients: a client may send thousands at once, over many connections.
 */
export class MessageReader {
  readonly #target: MessageTarget
  readonly #options: HubOptions
  /** Limits of the peer, until it is proved. */
  #unproved: UnprovedPeer | undefined
  readonly #input = new ReceiveBuffer()
  #transport: Transport | undefined
  /** Chosen by the handshake. */
  #protocol: HubProtocol | undefined
  #isWaiting = true
  #isReading = false
  /** Yielding to other connections; no promise is pending. */
  #isYielding = false
  #readSinceYield = 0
  #isStopped = false
  /** Resolves when the transport may hand over more input. */
  #room: PromiseWithResolvers<void> | undefined
  /** Since the last heartbeat. Only the heartbeat reads the clock, once a second for all connections. */
  #hasReceived = false
  #lastReceived = 0
  /** Budget of unfinished messages, and the bytes taken from it. */
  #unfinished: HeldInput | undefined
  #unfinishedBytes = 0
  /** A client that has sent one ping keeps pinging: from then on its silence ends the connection. */
  #expectsPings = false

  constructor(target: MessageTarget, options: HubOptions, unproved?: UnprovedPeer) {
    this.#target = target
    this.#options = options
    this.#unproved = unproved
  }

  /** True if the input ends inside a message. */
  get isMidMessage(): boolean {
    return !this.#isWaiting && this.#input.length > 0
  }

  /** Lifts the limits of an unproved peer. */
  proved(): void {
    this.#unproved = undefined
  }

  /** Appends input. Returns a promise when the buffer is full, which resolves when there is room. */
  append(chunk: Buffer): Promise<void> | undefined {
    this.#unproved?.take(chunk.length)
    if (this.#isStopped) {
      return undefined
    }
    this.#input.append(chunk)
    this.#read()
    if (this.#unproved) {
      this.#input.trim()
    }
    this.#countUnfinished()
    return this.#isFull() ? (this.#room ??= Promise.withResolvers()).promise : undefined
  }

  /** Counts unfinished messages from now on. */
  count(unfinished: HeldInput | undefined): void {
    this.#unfinished = unfinished
    this.#countUnfinished()
  }

  /** Starts reading, including input received before there was a transport. */
  start(transport: Transport): void {
    this.#transport = transport
    this.#resume()
  }

  /** Stops reading and discards the input. */
  stop(): void {
    this.#isStopped = true
    this.#unproved?.give(this.#input.length)
    this.#input.clear()
    this.#countUnfinished()
    this.#makeRoom()
  }

  /** Reads the remaining input without yielding: no more follows. */
  finish(): void {
    this.#readSinceYield = -Infinity
    if (this.#isYielding) {
      this.#resume()
    }
  }

  /** Called by the heartbeat. A paused reader reads nothing, so the timeout is suspended. */
  checkSilence(now: number): void {
    this.#readSinceYield = Math.min(this.#readSinceYield, 0)
    if (this.#hasReceived || this.#isWaiting) {
      this.#hasReceived = false
      this.#lastReceived = now
    }
    if (this.#expectsPings && now - this.#lastReceived >= this.#options.clientTimeoutMs) {
      this.#target.failed(clientSilent())
    }
  }

  /** Reads until a message is incomplete or a promise is pending. */
  #read(): void {
    if (this.#isReading) {
      return
    }
    this.#isReading = true
    try {
      while (!this.#isWaiting && !this.#isStopped && this.#readOne()) {
        this.#hasReceived = true
        this.#readSinceYield++
        if (!this.#isWaiting) {
          this.#yieldIfDue()
        }
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

  /** True if the reader yields. More input of the same turn may follow, in further frames. */
  #yieldIfDue(): boolean {
    if (this.#readSinceYield < messagesPerYield) {
      return false
    }
    this.#readSinceYield = 0
    this.#isWaiting = this.#isYielding = true
    this.#target.queue(() => {
      if (this.#isYielding) {
        this.#resume()
      }
    })
    return true
  }

  #waitFor(wait: PromiseLike<unknown> | undefined): void {
    if (!wait) {
      return
    }
    this.#isWaiting = true
    wait.then(
      () => this.#proceed(),
      (thrown: unknown) => {
        this.#target.failed(thrown)
        this.#proceed()
      },
    )
  }

  /** Reads on after a wait. Promises that need no event-loop iteration would keep all other clients waiting. */
  #proceed(): void {
    if (!this.#yieldIfDue()) {
      this.#resume()
    }
  }

  #resume(): void {
    this.#isWaiting = this.#isYielding = false
    this.#hasReceived = true
    this.#read()
    this.#countUnfinished()
    this.#makeRoom()
  }

  /** Updates the bytes of an unfinished message: input that waits for this server is limited by `#isFull`. */
  #countUnfinished(): void {
    const bytes = this.#isWaiting || this.#isStopped ? 0 : this.#input.length
    const change = bytes - this.#unfinishedBytes
    this.#unfinishedBytes = bytes
    if (change > 0) {
      this.#unfinished?.take(change)
    } else if (change < 0) {
      this.#unfinished?.give(-change)
    }
  }

  /**
   * Never full while the rest of a message is missing: the rest must arrive, whatever its size. A yield is short, and
   * more input would only prolong it.
   */
  #isFull(): boolean {
    return this.#isYielding || (this.#isWaiting && this.#input.length > this.#options.applicationBufferBytes)
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
