import type { LookupAddress } from 'node:dns'
import { connect, type Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { createWebSocketStream, WebSocket } from 'ws'
import { failure, success, type HubResult } from '../../shared/dtos/hub-result.ts'
import type { Log } from '../base/log.ts'
import type { ServerAccess } from '../trust/access.ts'

export interface VncSessionRequest {
  sessionId: string
  /** Address of the device's end at the relay; contains a token and is never logged. */
  websocketUri: string
  port: number
}

export interface VncPorts {
  log: Log
  access: Pick<ServerAccess, 'relay' | 'socketOptions'>
  /** Ports and ranges, such as `5900-5909,5920`. */
  allowedPorts?: string
  testLimitMs?: number
}

export const defaultVncPorts = '5900-5909'

const dialLimitMs = 10_000
/** Handshake timeout: the relay answers only after the viewer has connected. */
const relayLimitMs = 60_000
const mostMessageBytes = 64 * 1024 * 1024

const notReachable = 'The VNC service is not running or not reachable on the remote device.'
const tookTooLong = 'VNC connection test timed out or was cancelled on the remote device.'

export const isPortIn = (ports: string, port: number): boolean =>
  ports.split(',').some((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Number.isInteger(port) && port >= first && port <= last
  })

class TookTooLong extends Error {}

/** Both loopback addresses: some VNC servers listen on `::1` only. */
const loopback: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/** Connects to a port of this device only. */
function dial(port: number, limitMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: 'localhost',
      // The name is not looked up: a resolver could name another computer.
      lookup: (_name, _options, found) => found(null, loopback),
      autoSelectFamily: true,
      port,
      noDelay: true,
    })
    const timer = setTimeout(() => socket.destroy(new TookTooLong()), limitMs)
    socket.once('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.removeAllListeners('error')
      resolve(socket)
    })
  })
}

/** VNC sessions: bytes between a VNC server on this device and the relay. */
export class Vnc {
  readonly #log: Log
  readonly #access: VncPorts['access']
  readonly #allowedPorts: string
  readonly #testLimitMs: number
  readonly #open = new Set<Socket>()

  constructor({ log, access, allowedPorts = defaultVncPorts, testLimitMs = dialLimitMs }: VncPorts) {
    this.#log = log
    this.#access = access
    this.#allowedPorts = allowedPorts
    this.#testLimitMs = testLimitMs
  }

  /** Number of running sessions. */
  get size() {
    return this.#open.size
  }

  /** Connects to the VNC server, then to the relay without being awaited. */
  async create({ sessionId, websocketUri, port }: VncSessionRequest): Promise<HubResult> {
    if (!isPortIn(this.#allowedPorts, port)) {
      return failure(this.#refusal(port))
    }
    let service: Socket
    try {
      service = await dial(port, dialLimitMs)
    } catch (error) {
      this.#log.warn({ sessionId, port, error }, 'The connection to the VNC server failed')
      return failure('Error while creating proxy session.')
    }
    void this.#relay(sessionId, service, websocketUri)
    return success
  }

  async test(port: number): Promise<HubResult> {
    if (!isPortIn(this.#allowedPorts, port)) {
      return failure(this.#refusal(port))
    }
    try {
      const service = await dial(port, this.#testLimitMs)
      service.destroy()
      return success
    } catch (error) {
      return failure(error instanceof TookTooLong ? tookTooLong : notReachable)
    }
  }

  closeAll(): void {
    this.#open.forEach((service) => service.destroy())
  }

  #refusal(port: number) {
    return `Port ${port} is not a VNC port of this device (${this.#allowedPorts}).`
  }

  /** Pipes bytes in both directions with back-pressure until either end closes. */
  async #relay(sessionId: string, service: Socket, websocketUri: string) {
    this.#open.add(service)
    this.#log.info({ sessionId }, 'VNC session started')
    try {
      const socket = new WebSocket(this.#access.relay(websocketUri).websocketUri, {
        ...this.#access.socketOptions,
        perMessageDeflate: false,
        handshakeTimeout: relayLimitMs,
        maxPayload: mostMessageBytes,
      })
      const viewer = createWebSocketStream(socket)
      // Each pipeline forwards the end after its last bytes; the rest of the other direction is discarded.
      const directions = [pipeline(service, viewer), pipeline(viewer, service)]
      directions.forEach((direction) => void direction.catch(() => {}))
      await Promise.race(directions)
      this.#log.info({ sessionId }, 'VNC session ended')
    } catch (error) {
      this.#log.warn({ sessionId, error }, 'VNC session ended with an error')
    } finally {
      service.destroySoon()
      this.#open.delete(service)
    }
  }
}
