import { generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import {
  payloadBytesIn,
  writeHead,
  finalBit,
  headBytesOf,
  maskBit,
  maskBytes,
  maxHeadBytes,
  opcodes,
} from '../../server/engines/flow/websocket/frames.ts'
import { encodeSignedDeviceUpdate } from '../../shared/dtos/device-signature.ts'
import { ownAgentMake } from '../../shared/dtos/device.ts'
import { simulatedReport } from './facts.ts'

const separator = '\x1e'
const rawKeyLength = 32
const ping = frameOf(`{"type":6}${separator}`)
const hello = frameOf(`{"protocol":"json","version":1}${separator}{"type":6}${separator}`)
const upgraded = Buffer.from('HTTP/1.1 101')
const blankLine = Buffer.from('\r\n\r\n')
/** Input of all sockets: each piece is read before the next arrives. */
const shared = Buffer.alloc(64 * 1024)

/** Encodes a text as the frame of a client. A mask of zeros leaves the payload as it is. */
function frameOf(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const frame = Buffer.alloc(maxHeadBytes + maskBytes + length)
  const start = writeHead(frame, 0, finalBit | opcodes.text, length, maskBit) + maskBytes
  return frame.subarray(0, start + frame.write(text, start))
}

export interface LightAgentEvents {
  /** Called when the server has stored an update. */
  stored(agent: LightAgent): void
  /** Called when a connection has ended, or could not be made. */
  closed(agent: LightAgent): void
}

/**
 * Simulated device for fleets of tens of thousands: a raw socket with the JSON hub protocol and signed updates. Answers
 * no calls; `SimulatedAgent` does.
 */
export class LightAgent {
  readonly id = randomUUID()
  readonly publicKey: string
  readonly index: number
  /** Failed attempts to connect since the last connection. */
  attempts = 0
  readonly #privateKey: KeyObject
  readonly #events: LightAgentEvents
  #socket: Socket | undefined
  #isUpgraded = false
  /** Incomplete frame or response. */
  #rest: Buffer | undefined
  #sent = 0

  constructor(index: number, events: LightAgentEvents) {
    this.index = index
    this.#events = events
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    this.#privateKey = privateKey
    this.publicKey = publicKey.export({ type: 'spki', format: 'der' }).subarray(-rawKeyLength).toString('base64')
  }

  /** Connects from an address of this machine, and sends the first update. */
  connect(host: string, port: number, localAddress: string, tenantId: string): void {
    this.#isUpgraded = false
    this.#rest = undefined
    const onread = {
      buffer: shared,
      callback: (bytes: number) => {
        this.#receive(shared.subarray(0, bytes), tenantId)
        return true
      },
    }
    const socket = connect({ host, port, localAddress, onread })
    this.#socket = socket
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#socket = undefined
      this.#events.closed(this)
    })
    socket.write(
      `GET /hubs/agent HTTP/1.1\r\nHost: ${host}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
  }

  get isOpen(): boolean {
    return this.#isUpgraded && this.#socket !== undefined
  }

  ping(): void {
    this.#socket?.write(ping)
  }

  /** Sends a signed update. */
  update(tenantId: string): void {
    const sent = ++this.#sent
    const dto = { id: this.id, tenantId, ...simulatedReport(this.index, sent) }
    // Sub-millisecond digits count updates, so that no two timestamps are equal.
    const timestamp = new Date().toISOString().replace('Z', `${String(sent % 10_000).padStart(4, '0')}+00:00`)
    const { publicKey } = this
    const signature = sign(null, encodeSignedDeviceUpdate(dto, timestamp, publicKey), this.#privateKey)
    const argument = { dto, timestamp, signature: signature.toString('base64'), publicKey, agentMake: ownAgentMake }
    const message = { type: 1, invocationId: String(sent), target: 'UpdateDeviceSigned', arguments: [argument] }
    this.#socket?.write(frameOf(JSON.stringify(message) + separator))
  }

  close(): void {
    this.#socket?.destroy()
  }

  #receive(chunk: Buffer, tenantId: string): void {
    let input = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk
    if (!this.#isUpgraded) {
      const end = input.indexOf(blankLine)
      if (end === -1) {
        this.#rest = Buffer.from(input)
        return
      }
      if (!input.subarray(0, upgraded.length).equals(upgraded)) {
        this.#socket?.destroy()
        return
      }
      this.#isUpgraded = true
      this.#socket?.write(hello)
      this.update(tenantId)
      input = input.subarray(end + blankLine.length)
    }
    const read = this.#readFrames(input)
    this.#rest = read < input.length ? Buffer.from(input.subarray(read)) : undefined
  }

  /** Reads whole frames; returns the number of read bytes. */
  #readFrames(input: Buffer): number {
    let at = 0
    while (input.length - at >= 2) {
      const headBytes = headBytesOf(input[at + 1]!) - maskBytes
      if (input.length - at < headBytes) {
        break
      }
      const end = at + headBytes + payloadBytesIn(input, at)
      if (input.length < end) {
        break
      }
      if ((input[at]! & 0x0f) === opcodes.close) {
        this.#socket?.end()
        return input.length
      }
      this.#read(input.toString('utf8', at + headBytes, end))
      at = end
    }
    return at
  }

  #read(text: string): void {
    for (const record of text.split(separator)) {
      if (record.startsWith('{"type":3')) {
        const { error, result } = JSON.parse(record) as {
          error?: string
          result?: { isSuccess: boolean; reason: string }
        }
        if (result?.isSuccess) {
          this.attempts = 0
          this.#events.stored(this)
        } else {
          process.stderr.write(`An update was refused: ${error ?? result?.reason}\n`)
        }
      } else if (record.startsWith('{"type":7')) {
        this.#socket?.end()
      }
    }
  }
}
