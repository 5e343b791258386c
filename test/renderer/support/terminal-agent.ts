import { randomUUID } from 'node:crypto'
import type { HubClientHandlers } from '../../../shared/contract/hub.ts'
import { failureOf } from '../../../shared/dtos/hub-result.ts'
import type { PwshCompletionsRequestDto, PwshCompletionsResult } from '../../../shared/dtos/pwsh-completions.ts'
import type { TerminalInputDto, TerminalOutputDto, TerminalSessionResult } from '../../../shared/dtos/terminal.ts'
import type { agentHub } from '../../../shared/hubs/agent-hub.ts'
import { TestAgent, type AgentConnection, installerKey } from '../../support/agent.ts'
import type { Member } from '../../support/server.ts'

interface Behavior {
  isPty: boolean
  /** Runs before CreateTerminalSession is answered. */
  onCreate?: () => Promise<void>
  /** Runs before an input is answered. */
  onInput?: (input: TerminalInputDto) => Promise<void>
  /** Completions of a line. */
  complete?: (request: PwshCompletionsRequestDto) => PwshCompletionsResult
}

/** Agent's end of one terminal, scripted by the test. */
export class TerminalAgent {
  readonly inputs: TerminalInputDto[] = []
  readonly created: string[] = []
  readonly closed: string[] = []
  /** Reason for which an input is rejected; undefined accepts the input. */
  refuse: (input: TerminalInputDto) => string | undefined = () => undefined
  readonly #agent: TestAgent
  readonly #behavior: Behavior
  #connection: AgentConnection | undefined
  #terminalId = ''
  #viewer = ''

  private constructor(agent: TestAgent, behavior: Behavior) {
    this.#agent = agent
    this.#behavior = behavior
  }

  static async start(owner: Member, behavior: Behavior) {
    const agent = new TestAgent(owner.tenantId, randomUUID())
    await agent.register(owner, await installerKey(owner))
    const terminal = new TerminalAgent(agent, behavior)
    await terminal.connect(owner.url)
    return terminal
  }

  get deviceId() {
    return this.#agent.id
  }

  /** All input, joined. */
  get typed() {
    return this.inputs.map(({ input }) => input).join('')
  }

  async connect(url: string) {
    const result: TerminalSessionResult = {
      isSuccess: true,
      reason: null,
      errorCode: null,
      ...(this.#behavior.isPty && { isPty: true, shell: '/bin/test-shell' }),
    }
    const handlers: Partial<HubClientHandlers<typeof agentHub>> = {
      RefreshDeviceInfo: () => {},
      GetPwshCompletions: (request) =>
        this.#behavior.complete?.(request) ?? failureOf('PowerShell is not installed on this device.'),
      CloseTerminalSession: (id) => void this.closed.push(id),
      CreateTerminalSession: async (id, viewer) => {
        this.created.push(id)
        this.#terminalId = id
        this.#viewer = viewer
        await this.#behavior.onCreate?.()
        return result
      },
      ReceiveTerminalInput: async (input) => {
        const reason = this.refuse(input)
        if (reason !== undefined) {
          return { ...result, isSuccess: false, reason }
        }
        this.inputs.push(input)
        this.#terminalId = input.terminalId
        this.#viewer = input.viewerConnectionId ?? this.#viewer
        await this.#behavior.onInput?.(input)
        return result
      },
    }
    this.#connection = await this.#agent.open(url, handlers, { isShared: true })
    await this.#connection.UpdateDeviceSigned(this.#agent.signed(this.#agent.report()))
  }

  print(output: string, more: Partial<TerminalOutputDto> = {}) {
    const timestamp = new Date().toISOString()
    const dto = { terminalId: this.#terminalId, output, outputKind: 0 as const, timestamp, ...more }
    return this.#connection!.SendTerminalOutputToViewer(this.#viewer, dto)
  }

  stop() {
    return this.#connection!.connection.stop()
  }
}
