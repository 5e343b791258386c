/**
 * Client of the engine on an in-memory wire. By default every byte arrives alone, so that code which relies on chunk
 * boundaries fails.
 */

import { encode } from '@msgpack/msgpack'
import type { Clock } from '../../server/ground/clock.ts'
import type { Log } from '../../server/ground/log.ts'
import { Clients } from '../../server/engines/signalr/clients.ts'
import type { Connection } from '../../server/engines/signalr/connection.ts'
import { HubEngine } from '../../server/engines/signalr/hub-engine.ts'
import type { Caller, TransportName } from '../../server/engines/signalr/hub.ts'
import type { HubOptions } from '../../server/engines/signalr/options.ts'
import { writeBinaryFrame } from '../../server/engines/signalr/protocol/binary-frames.ts'
import { decodeMessage } from '../../server/engines/signalr/protocol/messagepack.ts'
import type { Message, Payload } from '../../server/engines/signalr/protocol/messages.ts'
import type { Transport, TransportPeer } from '../../server/engines/signalr/transports/transport.ts'
import { steppedClock } from './clock.ts'
import { collectingLog, createTestHub } from './test-hub.ts'

/** Clock that moves only when a test advances it. */
export interface TestClock extends Clock {
  /** Advances time and fires due timers in order. */
  advance(ms: number): Promise<void>
  /** Number of pending timers. */
  readonly pending: number
}

export function createTestClock(): TestClock {
  const { clock, timers, steps } = steppedClock(Date.UTC(2026, 0))
  return {
    ...clock,
    get pending() {
      return timers.size
    },
    async advance(ms) {
      for (const _ of steps(ms)) {
        await settle()
      }
      await settle()
    },
  }
}

/** Waits until no work is left that needs no time. */
export const settle = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))

/** Splits bytes on their way to the server. */
export type Cut = (bytes: Buffer) => Buffer[]

export const whole: Cut = (bytes) => [bytes]

/** Splits into single bytes; large data into pieces of awkward sizes. */
export const worst: Cut = (bytes) => {
  const pieces: Buffer[] = []
  const step = bytes.length > 4_096 ? 1_021 : 1
  for (let at = 0; at < bytes.length; at += step) {
    pieces.push(bytes.subarray(at, at + step))
  }
  return pieces
}

/** In-memory transport between a test client and its connection. */
export class MemoryTransport implements Transport {
  readonly name: TransportName
  readonly carriesBinary: boolean
  readonly isContinuous: boolean
  readonly isReachable = true
  format: 'Text' | 'Binary' = 'Text'
  readonly written: { payload: Payload; format: 'Text' | 'Binary' }[] = []
  ending: 'ended' | 'destroyed' | undefined
  /** Whether the network blocks writes. */
  isStuck = false
  #buffered = 0
  #taken = 0
  readonly #peer: TransportPeer

  constructor(peer: TransportPeer, name: TransportName) {
    this.#peer = peer
    this.name = name
    this.carriesBinary = name !== 'ServerSentEvents'
    this.isContinuous = name !== 'LongPolling'
  }

  get bufferedBytes() {
    return this.#buffered
  }

  get writeMark() {
    return this.#buffered > 0 ? this.#taken : undefined
  }

  write(payload: Payload) {
    this.written.push({ payload, format: this.format })
    if (this.isStuck) {
      this.#buffered += payload.length
    }
  }

  /** Unblocks the network, which accepts all pending writes. */
  flow() {
    this.isStuck = false
    this.#taken += this.#buffered
    this.#buffered = 0
    this.#peer.drained()
  }

  end() {
    this.ending ??= 'ended'
    this.#peer.transportClosed(true)
  }

  destroy() {
    this.ending = 'destroyed'
    this.#peer.transportClosed(false)
  }
}

export interface WireSettings {
  options?: Partial<HubOptions>
  clock?: TestClock
  log?: Log
}

/** Creates a hub without a network. */
export function createWire({ options, clock = createTestClock(), log }: WireSettings = {}) {
  const errors = collectingLog()
  const clients = new Clients()
  const hub = createTestHub({ clients, groups: clients.connections })
  const engine = new HubEngine({ hub, clients, options, clock, log: log ?? errors })
  return {
    hub,
    clients,
    clock,
    engine,
    /** Errors and warnings logged by the engine. */
    errors: errors.lines,
    /** Opens a client before its handshake. */
    open: (settings: ClientSettings = {}) => new WireClient(engine, settings),
    /** Opens a client and completes its handshake. */
    async connect(settings: ClientSettings = {}) {
      const client = new WireClient(engine, settings)
      client.send(`{"protocol":"${settings.protocol ?? 'json'}","version":1}\x1e`)
      await settle()
      const [handshake] = client.take()
      if (handshake !== '{}') {
        throw new Error(`Handshake refused: ${handshake}`)
      }
      return client
    },
  }
}

export type Wire = ReturnType<typeof createWire>

export interface ClientSettings {
  transport?: TransportName
  protocol?: 'json' | 'messagepack'
  userId?: string
  cut?: Cut
}

export class WireClient {
  readonly connection: Connection
  readonly transport: MemoryTransport
  readonly #cut: Cut
  #taken = 0
  #held: Buffer[] = []
  #isHeldBack = false

  constructor(engine: HubEngine, { transport = 'WebSockets', userId, cut = worst }: ClientSettings) {
    const caller: Caller = { principal: userId, userId, remoteAddress: '192.0.2.1' }
    this.#cut = cut
    this.connection = engine.accept(caller, { hasSecretToken: true })
    this.transport = new MemoryTransport(this.connection, transport)
    this.connection.attach(this.transport, caller)
  }

  get id() {
    return this.connection.id
  }

  /** Whether the server applies back-pressure to its input. */
  get isHeldBack() {
    return this.#isHeldBack
  }

  send(data: string | Uint8Array) {
    this.#held.push(...this.#cut(Buffer.from(data as Uint8Array)))
    if (!this.#isHeldBack) {
      this.#push()
    }
  }

  /** Sends messages as JSON. */
  sendJson(...messages: object[]) {
    this.send(messages.map((message) => `${JSON.stringify(message)}\x1e`).join(''))
  }

  /** Sends messages as MessagePack arrays. */
  sendPacked(...messages: unknown[][]) {
    this.send(Buffer.concat(messages.map((message) => writeBinaryFrame(encode(message)))))
  }

  invoke(invocationId: string | undefined, target: string, ...args: unknown[]) {
    this.sendJson({ type: 1, invocationId, target, arguments: args })
  }

  stream(invocationId: string, target: string, ...args: unknown[]) {
    this.sendJson({ type: 4, invocationId, target, arguments: args })
  }

  /** JSON records written by the server since the last call. */
  take(): string[] {
    const fresh = this.transport.written.slice(this.#taken)
    this.#taken = this.transport.written.length
    return fresh.flatMap(({ payload }) => {
      const text = Buffer.from(payload as Uint8Array).toString()
      if (!text.endsWith('\x1e')) {
        throw new Error(`The server has split a message: ${text}`)
      }
      return text.slice(0, -1).split('\x1e')
    })
  }

  /** JSON records written by the server, once no work is left. */
  async answers(): Promise<string[]> {
    await settle()
    return this.take()
  }

  /** MessagePack messages written by the server since the last call. */
  takePacked(): Message[] {
    const fresh = this.transport.written.slice(this.#taken)
    this.#taken = this.transport.written.length
    return fresh.map(({ payload }) => {
      const bytes = new Uint8Array(payload as Uint8Array)
      return decodeMessage(bytes.subarray(bytes.findIndex((byte) => byte < 0x80) + 1))
    })
  }

  /** Ends the connection from the client's side: closed, or lost. */
  leave(isClean = true) {
    this.connection.transportClosed(isClean)
  }

  #push() {
    for (let piece = this.#held.shift(); piece; piece = this.#held.shift()) {
      const room = this.connection.receive(piece)
      if (!room) {
        continue
      }
      this.#isHeldBack = true
      void room.then(() => {
        this.#isHeldBack = false
        this.#push()
      })
      return
    }
  }
}
