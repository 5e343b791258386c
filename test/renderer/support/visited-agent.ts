import type { z } from 'zod'
import type { HubClientHandlers } from '../../../shared/contract/hub.ts'
import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import { ownAgentMake, type DeviceUpdateRequestDto } from '../../../shared/dtos/device.ts'
import { PowerOrder, powerOrderType, type PowerStateDto } from '../../../shared/dtos/power-order.ts'
import type { DtoWrapper } from '../../../shared/dtos/device-commands.ts'
import { success, successOf } from '../../../shared/dtos/hub-result.ts'
import type { agentHub } from '../../../shared/hubs/agent-hub.ts'
import type { WrongIdentityDto } from '../../../shared/server-identity.ts'
import { installerKey, TestAgent, type AgentConnection } from '../../support/agent.ts'
import type { Member } from '../../support/server.ts'

/** JPEG of one grey pixel. */
const picture =
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AN//Z'

/** Scripted device: reports what the test sets, and records requests. */
export class VisitedAgent {
  readonly asked: string[] = []
  reportsAsked = 0
  desktops: DesktopSession[] = []
  readonly #agent: TestAgent
  #report: Partial<DeviceUpdateRequestDto>
  #connection: AgentConnection | undefined

  private constructor(agent: TestAgent, report: Partial<DeviceUpdateRequestDto>) {
    this.#agent = agent
    this.#report = report
  }

  /** Registers a device whose agent is of our own make by default. */
  static async register(owner: Member, report: Partial<DeviceUpdateRequestDto> = {}, make: string = ownAgentMake) {
    const agent = new TestAgent(owner.tenantId)
    agent.make = make
    await agent.register(owner, await installerKey(owner), report)
    return new VisitedAgent(agent, report)
  }

  get id() {
    return this.#agent.id
  }

  async connect(url: string) {
    const handlers: Partial<HubClientHandlers<typeof agentHub>> = {
      GetActiveDesktopSessions: () => this.desktops,
      InvokeWakeDevice: () => void this.asked.push('wake'),
      ReceiveAgentUpdateTrigger: () => void this.asked.push('update'),
      ReceivePowerStateChange: (change) => void this.asked.push(change === 1 ? 'restart' : 'shutdown'),
      ReceiveDto: (message) => this.#takeOrder(message),
      RefreshDeviceInfo: () => {
        this.reportsAsked++
        void this.report().catch(() => {})
      },
      RequestDesktopPreview: ({ streamId }) => {
        void this.#connection?.SendDesktopPreviewStream(streamId, pictureStream())
        return success
      },
      UninstallAgent: () => void this.asked.push('uninstall'),
    }
    this.#connection = await this.#agent.open(url, handlers, { isShared: true })
    await this.report()
  }

  async report(changes: Partial<DeviceUpdateRequestDto> = {}) {
    this.#report = { ...this.#report, ...changes }
    const answer = await this.#connection?.UpdateDeviceSigned(this.#agent.signed(this.#agent.report(this.#report)))
    if (!answer?.isSuccess) {
      throw new Error(`The update was refused: ${answer?.reason}`)
    }
  }

  /** Reports the power changes of the device. */
  async reportPower(variants: PowerStateDto['variants'], order: PowerStateDto['order'] = null) {
    await this.#connection?.SendPowerState({ variants, order, ended: null })
  }

  async #takeOrder({ dtoType, payload }: z.output<typeof DtoWrapper>) {
    if (dtoType === powerOrderType) {
      const { id, change } = PowerOrder.parse(JSON.parse(Buffer.from(payload, 'base64').toString()))
      this.asked.push(`order ${change}`)
      await this.reportPower(['lock'], { id, at: new Date(Date.now() + 3_600_000).toISOString(), isAsking: false })
    }
    return successOf(null)
  }

  /** Reports another server at an address of this server. */
  async meet(stranger: WrongIdentityDto) {
    await this.#connection?.SendWrongIdentity(stranger)
  }

  /** Reports why it does not install the offered update. */
  async refuseUpdate(reason: string | null) {
    await this.#connection?.SendUpdateRefusal(reason)
  }

  /** Closes the connection as a stopping agent does. */
  async leave() {
    await this.#connection?.connection.stop()
  }
}

async function* pictureStream() {
  yield picture
}
