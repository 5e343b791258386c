import { describe } from './errors.ts'
import type { EndedBy } from './hub.ts'
import type { HubOptions } from './options.ts'
import { handshakeAccepted, handshakeRefused } from './protocol/handshake.ts'
import { jsonProtocol } from './protocol/json.ts'
import { ping, type HubProtocol, type Message, type Payload } from './protocol/messages.ts'
import type { Transport } from './transports/transport.ts'

/** How a connection ends, and why. */
export interface Ending {
  /** For the disconnected callback and, as the text of the Close message, for the client. */
  error?: Error
  /** The error came from the client and is not sent back. */
  isKnownToClient?: boolean
  /** Defaults to this server. */
  endedBy?: EndedBy
  allowReconnect?: boolean
}

/** The sending side of a connection: encodes messages, and returns a promise when the client reads slowly. */
export class MessageSender {
  readonly transport: Transport
  readonly #options: HubOptions
  #protocol: HubProtocol = jsonProtocol
  /** Resolves the waiting sends when the network has room. */
  #room: PromiseWithResolvers<void> | undefined
  /** Whether a message was sent since the last heartbeat, which alone reads the clock. */
  #hasSent = false
  #lastSent: number
  #writeMark: number | undefined
  #writeSince = 0

  constructor(transport: Transport, options: HubOptions, now: number) {
    this.transport = transport
    this.#options = options
    this.#lastSent = now
  }

  get protocol(): HubProtocol {
    return this.#protocol
  }

  acceptHandshake(protocol: HubProtocol): void {
    this.#protocol = protocol
    this.transport.format = protocol.format
    this.transport.write(handshakeAccepted)
  }

  refuseHandshake(error: string): void {
    this.transport.write(handshakeRefused(error))
  }

  /** Throws for a message that cannot be encoded. */
  send(message: Message): Promise<void> | undefined {
    return this.sendPayload(this.#protocol.write(message))
  }

  sendPayload(payload: Payload): Promise<void> | undefined {
    this.#hasSent = true
    this.transport.write(payload)
    if (this.transport.bufferedBytes <= this.#options.transportBufferBytes) {
      return undefined
    }
    return (this.#room ??= Promise.withResolvers()).promise
  }

  get isOverfull(): boolean {
    return this.transport.bufferedBytes > this.#options.maxUnsentBytes
  }

  sendClose({ error, isKnownToClient, allowReconnect = false }: Ending): void {
    const text =
      error && !isKnownToClient
        ? describe('Connection closed with an error.', error, this.#options.detailedErrors)
        : undefined
    void this.send({ type: 7, error: text, allowReconnect })
  }

  /** Resolves the waiting sends: the buffered output is flushed, or the connection ends. */
  drained(): void {
    const room = this.#room
    this.#room = undefined
    room?.resolve()
  }

  /** Called by the heartbeat. Other messages, and a write in progress, already prove that the server is alive. */
  pingIfDue(now: number): void {
    if (this.#hasSent) {
      this.#hasSent = false
      this.#lastSent = now
    }
    const { transport } = this
    if (
      now - this.#lastSent >= this.#options.keepAliveIntervalMs &&
      transport.isContinuous &&
      transport.writeMark === undefined
    ) {
      void this.send(ping)
      this.#hasSent = false
      this.#lastSent = now
    }
  }

  /** Called by the heartbeat: true if one write has been in progress for too long. */
  isStuck(now: number): boolean {
    const mark = this.transport.writeMark
    if (mark === undefined || mark !== this.#writeMark) {
      this.#writeMark = mark
      this.#writeSince = now
      return false
    }
    return now - this.#writeSince >= this.#options.sendTimeoutMs
  }
}
