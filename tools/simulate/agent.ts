import { generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto'
import { WebSocket } from 'ws'
import { encodeSignedDeviceUpdate } from '../../shared/dtos/device-signature.ts'
import { ownAgentMake } from '../../shared/dtos/device.ts'
import { simulatedReport } from './facts.ts'

const separator = '\x1e'
const rawKeyLength = 32

interface HubMessage {
  type: number
  arguments?: unknown[]
  invocationId?: string
  target?: string
  result?: { isSuccess: boolean; reason: string | null }
  error?: string
}

/**
 * Simulated device with the wire protocol of a real agent (a bare WebSocket, the JSON hub protocol, signed updates),
 * lean enough for thousands per process.
 */
export class SimulatedAgent {
  readonly id = randomUUID()
  readonly publicKey: string
  readonly #privateKey: KeyObject
  readonly #index: number
  readonly #tenantId: string
  readonly #pending = new Map<string, { resolve: () => void; reject: (error: Error) => void }>()
  #socket: WebSocket | undefined
  #sent = 0
  /** Receives the relay address of each remote-control session; without a handler every session is rejected. */
  onSession: ((address: string) => void) | undefined
  /** Intercepts every call of the server; its return value is the answer, and undefined falls through to this class. */
  onCall: ((target: string, args: readonly unknown[]) => unknown) | undefined

  constructor(index: number, tenantId: string) {
    this.#index = index
    this.#tenantId = tenantId
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    this.#privateKey = privateKey
    this.publicKey = publicKey.export({ type: 'spki', format: 'der' }).subarray(-rawKeyLength).toString('base64')
  }

  /** Registers over HTTP with an installer key. */
  async register(url: string, key: { id: string; keySecret: string }): Promise<void> {
    const response = await fetch(`${url}/api/agent/devices`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        device: this.#report(),
        installerKeyId: key.id,
        installerKeySecret: key.keySecret,
        publicKey: this.publicKey,
      }),
    })
    if (!response.ok) {
      throw new Error(`Registration failed: ${response.status} ${await response.text()}`)
    }
    await response.arrayBuffer()
  }

  /** Connects and sends the first update; resolves after its answer. */
  async connect(url: string, onClose: () => void = () => {}): Promise<void> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/hubs/agent`, {
      perMessageDeflate: false,
      // Verification is off, because a simulated device has no secrets.
      rejectUnauthorized: false,
    })
    this.#socket = socket
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.once('close', () => reject(new Error('The connection closed.')))
      socket.once('open', () => socket.send(`{"protocol":"json","version":1}${separator}{"type":6}${separator}`))
      socket.on('message', (data: Buffer) => {
        for (const record of data.toString().split(separator)) {
          if (record === '{}') {
            resolve()
          } else if (record !== '') {
            this.#receive(JSON.parse(record) as HubMessage)
          }
        }
      })
      socket.once('close', () => {
        for (const { reject: fail } of this.#pending.values()) {
          fail(new Error('The connection closed.'))
        }
        this.#pending.clear()
        onClose()
      })
    })
    socket.on('error', () => {})
    await this.update()
  }

  /** Sends a signed update; resolves when the server has stored it. */
  update(): Promise<void> {
    const invocationId = String(++this.#sent)
    const dto = this.#report()
    // Sub-millisecond digits count updates, so that no two timestamps are equal.
    const timestamp = new Date().toISOString().replace('Z', `${String(this.#sent % 10_000).padStart(4, '0')}+00:00`)
    const payload = encodeSignedDeviceUpdate(dto, timestamp, this.publicKey)
    const signature = sign(null, payload, this.#privateKey).toString('base64')
    const argument = { dto, timestamp, signature, publicKey: this.publicKey, agentMake: ownAgentMake }
    this.#socket!.send(
      JSON.stringify({ type: 1, invocationId, target: 'UpdateDeviceSigned', arguments: [argument] }) + separator,
    )
    return new Promise((resolve, reject) => this.#pending.set(invocationId, { resolve, reject }))
  }

  ping(): void {
    if (!this.isOpen) {
      return
    }
    this.#socket?.send(`{"type":6}${separator}`)
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN
  }

  close(): void {
    this.#socket?.terminate()
  }

  #report() {
    return { id: this.id, tenantId: this.#tenantId, ...simulatedReport(this.#index, this.#sent) }
  }

  #receive(message: HubMessage): void {
    if (message.type === 3) {
      const pending = this.#pending.get(message.invocationId!)
      this.#pending.delete(message.invocationId!)
      if (message.result?.isSuccess) {
        pending?.resolve()
      } else {
        pending?.reject(new Error(message.error ?? message.result?.reason ?? 'The update was refused.'))
      }
    } else if (message.type === 1) {
      void this.#called(message)
    }
  }

  async #called(message: HubMessage): Promise<void> {
    const answer = await this.onCall?.(message.target ?? '', message.arguments ?? [])
    if (answer !== undefined) {
      this.#answer(message, answer)
    } else if (message.target === 'RefreshDeviceInfo') {
      this.update().catch(() => {})
    } else {
      const [request] = (message.arguments ?? []) as [{ websocketUri?: string } | undefined]
      const isTaken = message.target === 'CreateRemoteControlSession' && this.onSession !== undefined
      if (isTaken) {
        this.onSession?.(request?.websocketUri ?? '')
      }
      const reason = isTaken ? null : 'A simulated device takes no sessions.'
      const isList = message.target === 'GetActiveDesktopSessions'
      this.#answer(message, isList ? [] : { isSuccess: isTaken, reason, errorCode: null })
    }
  }

  #answer({ invocationId }: HubMessage, result: unknown): void {
    if (invocationId !== undefined && this.isOpen) {
      this.#socket?.send(JSON.stringify({ type: 3, invocationId, result }) + separator)
    }
  }
}
