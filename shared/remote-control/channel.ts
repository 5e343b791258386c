import { UndecodableMessage } from './byte-reader.ts'
import { decodeEnvelope, decodePayload, encodeFrame, encodeMessage } from './codec.ts'
import { Link } from './link.ts'
import {
  messageOf,
  messages,
  nameOf,
  type DeviceMessage,
  type MessageName,
  type Payload,
  type ScreenFrame,
  type ViewerMessage,
} from './messages.ts'
import { Throughput } from './throughput.ts'

/** Unacknowledged bytes above which a sender waits. */
export const windowBytes = 131_070
/** Maximum wait for acks before a message is sent anyway; maximum time to flush one message. */
const stallMs = 30_000
/** Limit of queued messages for a peer that does not read. */
const maxWaiting = 4096
/** Acks bypass the window: a peer that sends without reading accumulates acks here (T35). */
const maxUnsentBytes = 4 * 1024 * 1024
export const acksUnread = 'The other side sends messages without reading the acknowledgements.'

/** WebSocket methods that the channel uses. */
export interface MessageSocket {
  /** `onSent` is called when the bytes are flushed, or with an error. */
  send(bytes: Uint8Array, onSent: (error?: unknown) => void): void
  /** Unflushed bytes; for a socket that calls `onSent` before the flush. */
  unsentBytes?(): number
  /** Closes after the queued output; `isBroken` drops the connection. */
  close(isBroken: boolean): void
}

export interface ChannelClock {
  /** Monotonic milliseconds. */
  monotonic(): number
  after(delayMs: number, run: () => void): () => void
}

/** Handlers by message name; messages without a handler are acknowledged and ignored. */
export type MessageHandlers<N extends ViewerMessage | DeviceMessage> = { [K in N]?: (payload: Payload<K>) => void }

interface Waiting {
  name: MessageName
  /** Encodes the message when the window has room; undefined to send nothing. */
  produce: () => Promise<Uint8Array | undefined> | Uint8Array | undefined
  settle: (wasSent: boolean) => void
}

export interface ChannelDependencies<Received extends ViewerMessage | DeviceMessage> {
  socket: MessageSocket
  clock: ChannelClock
  handlers: MessageHandlers<Received>
  /** Queue length reported to the peer with each ack. */
  waitingFrames?: () => number
  /** Called once, with a sentence; `isBroken` unless the peer closed the connection. */
  onEnd: (reason: string, isBroken: boolean) => void
}

/** An end of a remote-control session: acknowledges messages, and limits unacknowledged output. */
export class Channel<Sent extends ViewerMessage | DeviceMessage, Received extends ViewerMessage | DeviceMessage> {
  /** Called after each ack of the peer. */
  onAck = () => {}
  readonly #deps: ChannelDependencies<Received>
  readonly #sentBytes = new Throughput()
  readonly #link = new Link()
  #waiting: Waiting[] = []
  #isPumping = false
  #hasEnded = false
  #unacked = 0
  /** Unflushed bytes, whether acknowledged or not. */
  #unflushed = 0
  /** Time since which an ack is outstanding. */
  #silentSince: number | undefined
  #wake = () => {}
  #latencyMs: number | undefined
  #framesAtPeer = 0

  constructor(deps: ChannelDependencies<Received>) {
    this.#deps = deps
  }

  get hasEnded() {
    return this.#hasEnded
  }

  get unackedBytes() {
    return this.#unacked
  }

  /** Duration of an outstanding ack; 0 without one. Input sent meanwhile may take effect much later. */
  get silentMs() {
    return this.#silentSince === undefined ? 0 : this.#deps.clock.monotonic() - this.#silentSince
  }

  /** Round-trip time of the newest ack; undefined before the first. */
  get latencyMs() {
    return this.#latencyMs
  }

  /** Estimated milliseconds until the link has transmitted all messages so far. */
  get queueMs() {
    return this.#link.queueMs(this.#deps.clock.monotonic())
  }

  /** Estimated milliseconds in which the link transmits `bytes`; 0 while the rate is unknown. */
  transmissionMs(bytes: number): number {
    return this.#link.transmissionMs(bytes)
  }

  /** Queued frames reported by the peer's newest ack; 0 if not reported. */
  get framesAtPeer() {
    return this.#framesAtPeer
  }

  /** Bytes sent in the last second, including acks. */
  get sentMbps() {
    return this.#sentBytes.mbps(this.#deps.clock.monotonic())
  }

  /**
   * Sends in order, when the window has room. Resolves with false when the channel ended or a newer state replaced this
   * state.
   */
  send<N extends Sent>(name: N, payload: Payload<N>): Promise<boolean> {
    return this.#enqueue(name, () => encodeMessage(name, payload, this.#timestamp()))
  }

  /** Makes the message when the window has room; sends nothing if there is no payload by then. */
  sendWhenRoom<N extends Sent>(name: N, produce: () => Payload<N> | undefined): Promise<boolean> {
    return this.#enqueue(name, () => {
      const payload = produce()
      return payload === undefined ? undefined : encodeMessage(name, payload, this.#timestamp())
    })
  }

  /** Captures the frame when the window has room, to keep latency low; an empty frame is not sent. */
  sendFrame(produce: () => Promise<ScreenFrame>): Promise<boolean> {
    return this.#enqueue('ScreenRegions', async () => {
      const frame = await produce()
      return frame.regions.length > 0 || frame.moves ? encodeFrame(frame, this.#timestamp()) : undefined
    })
  }

  /** Sends regardless of the window, then closes. */
  sendLast<N extends Sent>(name: N, payload: Payload<N>, reason: string): void {
    if (!this.#hasEnded) {
      this.#transmit(encodeMessage(name, payload, this.#timestamp()))
    }
    this.end(reason)
  }

  /** Closes and discards queued messages. */
  end(reason: string, isBroken = false): void {
    if (this.#hasEnded) {
      return
    }
    this.#hasEnded = true
    this.#wake()
    this.#waiting.forEach(({ settle }) => settle(false))
    this.#waiting = []
    this.#deps.socket.close(isBroken)
    this.#deps.onEnd(reason, isBroken)
  }

  /** Handles one whole message of the socket. */
  receive(bytes: Uint8Array): void {
    if (this.#hasEnded || bytes.length === 0) {
      return
    }
    try {
      const { dtoType, payload, sendTimestamp } = decodeEnvelope(bytes)
      if (dtoType === messages.Ack.number) {
        this.#receiveAck(decodePayload('Ack', payload))
        return
      }
      this.#ack(bytes.length, sendTimestamp)
      if (!this.#hasEnded) {
        this.#handle(dtoType, payload)
      }
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      this.end(error instanceof UndecodableMessage ? `A message could not be read: ${text}.` : text, true)
    }
  }

  /** Omits the member unless frames are queued, for compatibility with other implementations. */
  #ack(receivedSize: number, sendTimestamp: bigint) {
    if ((this.#deps.socket.unsentBytes?.() ?? 0) > maxUnsentBytes) {
      this.end(acksUnread, true)
      return
    }
    const waitingFrames = this.#deps.waitingFrames?.() || undefined
    this.#transmit(encodeMessage('Ack', { receivedSize, sendTimestamp, waitingFrames }, this.#timestamp()))
  }

  #handle(number: number, payload: Uint8Array) {
    const name = nameOf(number) as Received | undefined
    const handle = name && this.#deps.handlers[name]
    if (handle) {
      handle(decodePayload(name, payload))
    }
  }

  #receiveAck({ receivedSize, sendTimestamp, waitingFrames = 0 }: Payload<'Ack'>) {
    this.#framesAtPeer = waitingFrames
    this.#link.acked(this.#deps.clock.monotonic())
    const latencyMs = Number(this.#timestamp() - sendTimestamp) / 1000
    if (latencyMs >= 0) {
      this.#latencyMs = latencyMs
    }
    this.#unacked = Math.max(0, this.#unacked - Math.max(0, receivedSize))
    this.#silentSince = this.#unacked > 0 ? this.#deps.clock.monotonic() : undefined
    this.#wakeForRoom()
    this.onAck()
  }

  /** Microseconds. */
  #timestamp() {
    return BigInt(Math.round(this.#deps.clock.monotonic() * 1000))
  }

  #enqueue(name: MessageName, produce: Waiting['produce']): Promise<boolean> {
    if (this.#hasEnded) {
      return Promise.resolve(false)
    }
    return new Promise((settle) => {
      const older = messageOf(name).isState ? this.#waiting.findIndex((waiting) => waiting.name === name) : -1
      if (older >= 0) {
        this.#waiting.splice(older, 1, { name, produce, settle })[0]?.settle(false)
      } else {
        this.#waiting.push({ name, produce, settle })
      }
      if (this.#waiting.length > maxWaiting) {
        this.end('The other side does not read its messages.', true)
      }
      void this.#pump()
    })
  }

  async #pump() {
    if (this.#isPumping) {
      return
    }
    this.#isPumping = true
    while (this.#waiting.length > 0) {
      await this.#room()
      const next = this.#waiting.shift()
      await this.#sendNext(next)
    }
    this.#isPumping = false
  }

  async #sendNext(next: Waiting | undefined) {
    try {
      const bytes = await next?.produce()
      if (bytes && !this.#hasEnded) {
        const now = this.#deps.clock.monotonic()
        this.#unacked += bytes.length
        this.#silentSince ??= now
        this.#link.sent(now, bytes.length)
        this.#transmit(bytes)
      }
      next?.settle(bytes !== undefined && !this.#hasEnded)
    } catch (error) {
      next?.settle(false)
      this.end(error instanceof Error ? error.message : String(error))
    }
  }

  get #hasRoom() {
    return this.#unacked < windowBytes && this.#unflushed < windowBytes
  }

  #wakeForRoom() {
    if (this.#hasRoom) {
      this.#wake()
    }
  }

  /** Resolves when enough output is flushed and acknowledged, or after half a minute. */
  async #room() {
    if (this.#hasRoom || this.#hasEnded) {
      return
    }
    await new Promise<void>((resolve) => {
      const cancel = this.#deps.clock.after(stallMs, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
    this.#wake = () => {}
  }

  #transmit(bytes: Uint8Array) {
    const { clock, socket } = this.#deps
    this.#sentBytes.add(clock.monotonic(), bytes.length)
    const cancel = clock.after(stallMs, () => this.end('The connection is stalled.', true))
    this.#unflushed += bytes.length
    socket.send(bytes, (error) => {
      cancel()
      this.#unflushed -= bytes.length
      this.#wakeForRoom()
      if (error !== undefined && error !== null) {
        this.end('The connection was lost.', true)
      }
    })
  }
}
