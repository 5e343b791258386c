import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import type { HubConnection } from '@microsoft/signalr'
import { simulatedReport } from '../../tools/simulate/facts.ts'
import { encodeSignedDeviceUpdate } from '../../shared/dtos/device-signature.ts'
import { handleHub, hubMethods, type HubClientHandlers, type HubServerMethods } from '../../shared/contract/hub.ts'
import type { CreateInstallerKeyResponseDto } from '../../shared/dtos/installer-key.ts'
import type { DeviceUpdateRequestDto } from '../../shared/dtos/device.ts'
import { agentHub } from '../../shared/hubs/agent-hub.ts'
import { hubConnection, webSocketsOnly, type HubOptions } from './hub-client.ts'
import type { Member, Visitor } from './server.ts'

const rawKeyLength = 32

/** Creates an installer key without a limit of uses. */
export const installerKey = (owner: Member): Promise<CreateInstallerKeyResponseDto> =>
  owner.installerKeys.create({ body: { tenantId: owner.tenantId, keyType: 'Persistent' } })

export interface AgentConnection extends HubServerMethods<typeof agentHub> {
  connection: HubConnection
  /** Resolves at the end of the connection, whatever its cause. */
  closed: Promise<void>
}

interface SigningOptions {
  timestamp?: string
  publicKey?: string | null
}

/** Version that this product's agents never had. */
const otherVersion = '0.19.2.0'

/** Test agent whose messages the test decides; signs like a real agent. */
export class TestAgent {
  readonly id: string
  readonly tenantId: string
  /** Make in `signed` updates; other agents send none. */
  make: string | undefined
  readonly #keys = generateKeyPairSync('ed25519')

  constructor(tenantId: string, id: string = randomUUID()) {
    this.tenantId = tenantId
    this.id = id
  }

  get publicKey(): string {
    const der = this.#keys.publicKey.export({ type: 'spki', format: 'der' })
    return der.subarray(-rawKeyLength).toString('base64')
  }

  report(changes: Partial<DeviceUpdateRequestDto> = {}): DeviceUpdateRequestDto {
    return { id: this.id, tenantId: this.tenantId, ...simulatedReport(1), agentVersion: otherVersion, ...changes }
  }

  /** Builds the argument of `UpdateDeviceSigned`; `dto` may have any members in any order. */
  signed<Dto extends object>(
    dto: Dto,
    { timestamp = freshTimestamp(), publicKey = this.publicKey }: SigningOptions = {},
  ) {
    const payload = encodeSignedDeviceUpdate(dto, timestamp, publicKey)
    const signature = sign(null, payload, this.#keys.privateKey).toString('base64')
    return { dto, timestamp, signature, publicKey, ...(this.make !== undefined && { agentMake: this.make }) }
  }

  /** Registers over HTTP; `changes` override members of the device. */
  register(
    visitor: Visitor,
    key: { id: string; keySecret: string },
    { publicKey = this.publicKey, ...changes }: Partial<DeviceUpdateRequestDto> & { publicKey?: string | null } = {},
  ) {
    return visitor.agentDevices.register({
      body: { device: this.report(changes), installerKeyId: key.id, installerKeySecret: key.keySecret, publicKey },
    })
  }

  /** Connects like agents, without negotiation and without a report. */
  async open(
    url: string,
    handlers: Partial<HubClientHandlers<typeof agentHub>> = {},
    options: HubOptions = {},
  ): Promise<AgentConnection> {
    const connection = hubConnection(`${url}/hubs/agent`, { ...webSocketsOnly, ...options })
    const silent = { RefreshDeviceInfo: () => {}, CloseTerminalSession: () => {}, UninstallAgent: () => {} }
    handleHub(agentHub, connection, { ...silent, ...handlers })
    const closed = new Promise<void>((resolve) => connection.onclose(() => resolve()))
    await connection.start()
    return { ...hubMethods(agentHub, connection), connection, closed }
  }

  /** Connects and reports, so that the device is online. */
  async connect(url: string, handlers?: Partial<HubClientHandlers<typeof agentHub>>): Promise<AgentConnection> {
    const agent = await this.open(url, handlers)
    const answer = await agent.UpdateDeviceSigned(this.signed(this.report()))
    if (!answer.isSuccess) {
      throw new Error(`The first update was refused: ${answer.reason}`)
    }
    return agent
  }
}

let timestamps = 0

/** Unique current timestamp with the 7 digits that agents send. */
export function freshTimestamp(nowMs = Date.now()): string {
  return new Date(nowMs).toISOString().replace('Z', `${String(++timestamps % 10_000).padStart(4, '0')}+00:00`)
}

/** Enrolls a device without connecting its agent. */
export async function enroll(owner: Member): Promise<TestAgent> {
  const agent = new TestAgent(owner.tenantId)
  await agent.register(owner, await installerKey(owner))
  return agent
}
