import { inParallel } from '../../shared/in-parallel.ts'
import { SimulatedAgent } from '../../tools/simulate/agent.ts'
import { successOf } from '../../shared/dtos/hub-result.ts'
import { endCommandType, runCommandType, type CommandEndDto } from '../../shared/dtos/run-command.ts'
import { installerKey } from './agent.ts'
import type { Member } from './server.ts'
import { until } from './until.ts'

/** Message that the server sent to a device, in order. */
export interface Told {
  deviceId: string
  target: string
  command?: string
}

/** Ping interval; devices without messages for half a minute count as offline. */
const pingMs = 5_000

interface Message {
  dtoType: string
  payload: string
}

/** Simulated devices that run commands as scripted by the test. */
export class CommandFleet {
  readonly agents: SimulatedAgent[] = []
  readonly told: Told[] = []
  /** Commands that are running, and the maximum at the same time. */
  running = 0
  mostRunning = 0
  /** Whether a device runs a command until it is asked to end the command. */
  hangs: (deviceId: string) => boolean = () => false
  end: Partial<CommandEndDto> = {}
  readonly #enders = new Map<string, () => void>()
  readonly #pings = setInterval(() => this.agents.forEach((agent) => agent.ping()), pingMs)

  /** Registers devices; the first `online` of them connect. */
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

  /** Ids of the devices that were sent a command. */
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

/** Awaits the end of a batch, and returns it with its results. */
export const finishedBatch = (by: Pick<Member, 'applianceBatches'>, batchId: string) =>
  until(async () => {
    const found = await by.applianceBatches.get({ params: { batchId } })
    return found.batch.finishedAt === null ? undefined : found
  })
