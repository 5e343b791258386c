import type { WebSocket } from 'ws'
import { InvalidDataException, toError } from './errors.ts'
import type { ProtocolName } from './hub.ts'
import { jsonProtocol } from './protocol/json.ts'
import { messagePackProtocol } from './protocol/messagepack.ts'
import type { HubProtocol, Message } from './protocol/messages.ts'
import { ReceiveBuffer } from './protocol/receive-buffer.ts'

const recordSeparator = 0x1e
/** Output that waits for the other server before its sender waits. */
const maxUnsentBytes = 262_144

export const protocolOf = (name: ProtocolName): HubProtocol => (name === 'json' ? jsonProtocol : messagePackProtocol)

export interface HubLinkEvents {
  /**
   * Called for each message, with its bytes as they came. A returned promise pauses the link until it resolves.
   */
  message(message: Message, bytes: Buffer): Promise<void> | undefined
  /** Called once at the end; `error` is the cause. */
  closed(error: Error): void
}

/** Reads why a handshake failed; undefined for one that succeeded. */
function handshakeError(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { error?: string }).error
  } catch {
    return 'The other server does not speak the hub protocol.'
  }
}

/** A connection as a client to the same hub of another server, which speaks the protocol of the client that it stands for. */
export class HubLink {
  readonly #socket: WebSocket
  readonly #protocol: HubProtocol
  readonly #events: HubLinkEvents
  readonly #input = new ReceiveBuffer()
  #error: Error | undefined

  private constructor(socket: WebSocket, protocol: HubProtocol, events: HubLinkEvents) {
    this.#socket = socket
    this.#protocol = protocol
    this.#events = events
  }

  /** Opens a link over a socket that connects. Rejects when the other server refuses it. */
  static open(socket: WebSocket, protocolName: ProtocolName, events: HubLinkEvents): Promise<HubLink> {
    const link = new HubLink(socket, protocolOf(protocolName), events)
    return new Promise((resolve, reject) => {
      socket.once('open', () => socket.send(`${JSON.stringify({ protocol: protocolName, version: 1 })}\u001E`))
      socket.on('error', (error) => (link.#error ??= error))
      socket.once('close', () => {
        const error = link.#error ?? new Error('The other server closed the connection.')
        reject(error)
        events.closed(error)
      })
      socket.once('message', (data) => {
        const bytes = data as Buffer
        const end = bytes.indexOf(recordSeparator)
        const error = handshakeError(bytes.toString('utf8', 0, end))
        if (error !== undefined) {
          link.close(new Error(error))
          return
        }
        socket.on('message', (next) => link.#received(next as Buffer))
        resolve(link)
        link.#received(bytes.subarray(end + 1))
      })
    })
  }

  /** Sends a message. A returned promise asks to wait before the next one. */
  send(message: Message): Promise<void> | undefined {
    const payload = this.#protocol.write(message)
    const isBinary = this.#protocol.format === 'Binary'
    if (this.#socket.bufferedAmount <= maxUnsentBytes) {
      this.#socket.send(payload, { binary: isBinary })
      return undefined
    }
    return new Promise((resolve) => this.#socket.send(payload, { binary: isBinary }, () => resolve()))
  }

  close(error?: Error): void {
    this.#error ??= error
    this.#socket.terminate()
  }

  #received(chunk: Buffer): void {
    this.#input.append(chunk)
    try {
      let wait: Promise<void> | undefined
      // A frame of our servers holds whole messages.
      while (this.#input.length > 0) {
        const before = this.#input.length
        const message = this.#protocol.read(this.#input, Infinity)
        if (!message) {
          throw new InvalidDataException('The other server sent a part of a message.')
        }
        const own = chunk.subarray(chunk.length - before, chunk.length - this.#input.length)
        wait = this.#events.message(message, own) ?? wait
      }
      if (wait) {
        this.#socket.pause()
        void wait.then(() => this.#socket.resume())
      }
    } catch (thrown) {
      this.close(toError(thrown))
    }
  }
}
