import { inParallel } from '../../scripts/simulate/fleet.ts'
import { SimulatedAgent } from '../../scripts/simulate/agent.ts'
import { successOf } from '../../shared/dtos/hub-result.ts'
import { endCommandType, runCommandType, type CommandEndDto } from '../../shared/dtos/run-command.ts'
import { installerKey } from './agent.ts'
import type { Member } from './server.ts'
import { until } from './until.ts'

/** What a device was told by the server, in the order in which it came. */
export interface Told {
  deviceId: string
  target: string
  command?: string
}

/** A device that says nothing for half a minute counts as gone. */
const pingMs = 5_000

interface Message {
  dtoType: string
  payload: string
}

/** Devices without machines that run commands as the test says. */
export class CommandFleet {
  readonly agents: SimulatedAgent[] = []
  readonly told: Told[] = []
  /** Commands that run now, and the most that ever did at the same time. */
  running = 0
  mostRunning = 0
  /** Whether a device keeps a command until it is told to end it. */
  hangs: (deviceId: string) => boolean = () => false
  end: Partial<CommandEndDto> = {}
  readonly #enders = new Map<string, () => void>()
  readonly #pings = setInterval(() => this.agents.forEach((agent) => agent.ping()), pingMs)

  /** Registers some devices; the first `online` of them connect. */
  static async start(owner: Member, count: number, online = count): Promise<CommandFleet> {
    const fleet = new CommandFleet()
    const key = await installerKey(owner)
    fleet.agents.push(...Array.from({ length: count }, (_, index) => new SimulatedAgent(index, owner.tenantId)))
    await inParallel(fleet.agents, 16, (agent) => agent.register(owner.url, key))
    await fleet.connect(owner.url, online)
    return fleet
  }

  get ids() {
    return this.agents.map(({ id }) => id)
  }

  async connect(url: string, online = this.agents.length) {
    await inParallel(this.agents.slice(0, online), 16, async (agent) => {
      agent.onCall = (target, args) => this.#called(agent.id, target, args)
      await agent.connect(url)
    })
  }

  /** Which devices were sent a command. */
  commanded() {
    return this.told.filter(({ target }) => target === runCommandType).map(({ deviceId }) => deviceId)
  }

  stop() {
    clearInterval(this.#pings)
    this.agents.forEach((agent) => agent.close())
  }

  async #called(deviceId: string, target: string, args: readonly unknown[]) {
    if (target !== 'ReceiveDto') {
      this.told.push({ deviceId, target })
      return undefined
    }
    const { dtoType, payload } = args[0] as Message
    const { command, runId } = JSON.parse(Buffer.from(payload, 'base64').toString()) as Record<string, string>
    this.told.push({ deviceId, target: dtoType, ...(command !== undefined && { command }) })
    if (dtoType === endCommandType) {
      this.#enders.get(runId!)?.()
      return null
    }
    this.mostRunning = Math.max(this.mostRunning, ++this.running)
    const isHanging = this.hangs(deviceId)
    if (isHanging) {
      await new Promise<void>((resolve) => this.#enders.set(runId!, resolve))
    }
    this.running--
    const usual = { endedBy: 'itself', exitCode: 0, output: `hello from ${deviceId}\n`, errorOutput: '', isCut: false }
    return successOf({ ...usual, ...(isHanging && { endedBy: 'request', exitCode: null }), ...this.end })
  }
}

/** A batch with its results, once nothing of it goes on any more. */
export const finishedBatch = (by: Pick<Member, 'applianceBatches'>, batchId: string) =>
  until(async () => {
    const found = await by.applianceBatches.get({ params: { batchId } })
    return found.batch.finishedAt === null ? undefined : found
  })
