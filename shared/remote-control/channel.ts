import { UndecodableMessage } from './byte-reader.ts'
import { decodeEnvelope, decodePayload, encodeFrame, encodeMessage } from './codec.ts'
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

/** From here on a sender waits for acks. */
export const windowBytes = 131_070
/** Longest wait for acks before one message is sent anyway; longest time that one message may take to leave. */
const patienceMs = 30_000
/** Messages of a peer that takes none of them are not kept without end. */
const maxWaiting = 4096
/** Acks go out without regard to the window: a peer that sends without receiving piles them up here (T35). */
const maxUnsentBytes = 4 * 1024 * 1024
export const acksUnread = 'The other side sends messages without receiving the answers.'

/** What the channel needs of a websocket. */
export interface MessageSocket {
  /** `onSent` is called when the bytes have left this program, or with an error. */
  send(bytes: Uint8Array, onSent: (error?: unknown) => void): void
  /** Bytes that have not left this program; for a socket that calls `onSent` earlier than that. */
  unsentBytes?(): number
  /** Closes after what was sent; `isBroken` drops the connection. */
  close(isBroken: boolean): void
}

export interface ChannelClock {
  /** Milliseconds that never go back. */
  monotonic(): number
  after(delayMs: number, run: () => void): () => void
}

/** A function for each message of the other side that is of interest; the others are acked and ignored. */
export type MessageHandlers<N extends ViewerMessage | DeviceMessage> = { [K in N]?: (payload: Payload<K>) => void }

interface Waiting {
  name: MessageName
  /** Makes the bytes when it is their turn; undefined when there is nothing to send after all. */
  produce: () => Promise<Uint8Array | undefined> | Uint8Array | undefined
  settle: (wasSent: boolean) => void
}

export interface ChannelDependencies<Received extends ViewerMessage | DeviceMessage> {
  socket: MessageSocket
  clock: ChannelClock
  handlers: MessageHandlers<Received>
  /** What the other end is told with each ack. */
  waitingFrames?: () => number
  /** Called once, with a sentence; `isBroken` when the other side did not close. */
  onEnd: (reason: string, isBroken: boolean) => void
}

/** One end of a remote-control session: acks what it receives, and sends no more than the other end has taken. */
export class Channel<Sent extends ViewerMessage | DeviceMessage, Received extends ViewerMessage | DeviceMessage> {
  readonly #deps: ChannelDependencies<Received>
  readonly #sentBytes = new Throughput()
  #waiting: Waiting[] = []
  #isPumping = false
  #hasEnded = false
  #unacked = 0
  /** Has not left this program, whatever the other side says that it has received. */
  #leaving = 0
  /** Since when the other side owes an ack and none has come. */
  #owedSince: number | undefined
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

  /** How long nothing that was sent has been acked; 0 while nothing is owed. What is sent meanwhile may act much later. */
  get silentMs() {
    return this.#owedSince === undefined ? 0 : this.#deps.clock.monotonic() - this.#owedSince
  }

  /** Of the newest ack: there and back; undefined before the first. */
  get latencyMs() {
    return this.#latencyMs
  }

  /** Frames that waited at the other end when it sent the newest ack; 0 where it does not tell. */
  get framesAtPeer() {
    return this.#framesAtPeer
  }

  /** What left within the last second, acks included. */
  get sentMbps() {
    return this.#sentBytes.mbps(this.#deps.clock.monotonic())
  }

  /** Sends in order, when the window has room. Resolves with false when the channel ended or a newer state took its place. */
  send<N extends Sent>(name: N, payload: Payload<N>): Promise<boolean> {
    return this.#enqueue(name, () => encodeMessage(name, payload, this.#timestamp()))
  }

  /** Asks for the frame when the window has room, so that it is as new as can be; an empty one is not sent. */
  sendFrame(produce: () => Promise<ScreenFrame>): Promise<boolean> {
    return this.#enqueue('ScreenRegions', async () => {
      const frame = await produce()
      return frame.regions.length > 0 || frame.moves ? encodeFrame(frame, this.#timestamp()) : undefined
    })
  }

  /** Sends without regard to the window, then closes. */
  sendLast<N extends Sent>(name: N, payload: Payload<N>, reason: string): void {
    if (!this.#hasEnded) {
      this.#transmit(encodeMessage(name, payload, this.#timestamp()))
    }
    this.end(reason)
  }

  /** Closes; what waits is not sent any more. */
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

  /** One message of the socket, whole. */
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

  /** Other programs see the members that they know unless something waits. */
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
    const latencyMs = Number(this.#timestamp() - sendTimestamp) / 1000
    if (latencyMs >= 0) {
      this.#latencyMs = latencyMs
    }
    this.#unacked = Math.max(0, this.#unacked - Math.max(0, receivedSize))
    this.#owedSince = this.#unacked > 0 ? this.#deps.clock.monotonic() : undefined
    this.#wakeForRoom()
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
        this.end('The other side takes no messages.', true)
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
        this.#unacked += bytes.length
        this.#owedSince ??= this.#deps.clock.monotonic()
        this.#transmit(bytes)
      }
      next?.settle(bytes !== undefined && !this.#hasEnded)
    } catch (error) {
      next?.settle(false)
      this.end(error instanceof Error ? error.message : String(error))
    }
  }

  get #hasRoom() {
    return this.#unacked < windowBytes && this.#leaving < windowBytes
  }

  #wakeForRoom() {
    if (this.#hasRoom) {
      this.#wake()
    }
  }

  /** Resolves when enough of what was sent has left and is acked, or after half a minute. */
  async #room() {
    if (this.#hasRoom || this.#hasEnded) {
      return
    }
    await new Promise<void>((resolve) => {
      const cancel = this.#deps.clock.after(patienceMs, resolve)
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
    const cancel = clock.after(patienceMs, () => this.end('The connection does not move any more.', true))
    this.#leaving += bytes.length
    socket.send(bytes, (error) => {
      cancel()
      this.#leaving -= bytes.length
      this.#wakeForRoom()
      if (error !== undefined && error !== null) {
        this.end('The connection was lost.', true)
      }
    })
  }
}
