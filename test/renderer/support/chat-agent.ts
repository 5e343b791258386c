import { randomUUID } from 'node:crypto'
import type { ChatMessageHubDto, ChatResponseHubDto } from '../../../shared/dtos/chat.ts'
import { failure, success } from '../../../shared/dtos/hub-result.ts'
import { TestAgent, type AgentConnection, installerKey } from '../../support/agent.ts'
import type { Member } from '../../support/server.ts'

const desktop = (username: string, processId: number) => ({
  areRemoteControlPermissionsGranted: true,
  desktopName: '',
  name: `Console - X11: :${processId}`,
  processId,
  systemSessionId: processId,
  type: 0 as const,
  username,
})

/** Agent's end of chats, scripted by the test. */
export class ChatAgent {
  readonly messages: ChatMessageHubDto[] = []
  readonly closed: string[] = []
  /** Reason for which messages are rejected. */
  refusal: string | undefined
  desktops = [desktop('ben', 1)]
  readonly #agent: TestAgent
  #connection: AgentConnection | undefined

  private constructor(agent: TestAgent) {
    this.#agent = agent
  }

  static async start(owner: Member) {
    const agent = new TestAgent(owner.tenantId, randomUUID())
    await agent.register(owner, await installerKey(owner))
    const chat = new ChatAgent(agent)
    await chat.connect(owner.url)
    return chat
  }

  get deviceId() {
    return this.#agent.id
  }

  /** Texts shown to the person. */
  get texts() {
    return this.messages.map(({ message }) => message)
  }

  addPerson(username: string) {
    this.desktops.push(desktop(username, this.desktops.length + 1))
  }

  async connect(url: string) {
    const handlers = {
      GetActiveDesktopSessions: () => this.desktops,
      SendChatMessage: (message: ChatMessageHubDto) => {
        if (this.refusal !== undefined) {
          return failure(this.refusal)
        }
        this.messages.push(message)
        return success
      },
      CloseChatSession: (sessionId: string) => {
        this.closed.push(sessionId)
        return success
      },
    }
    this.#connection = await this.#agent.open(url, handlers, { isShared: true })
    await this.#connection.UpdateDeviceSigned(this.#agent.signed(this.#agent.report()))
  }

  /** Sends an answer in the chat of the last message; resolves with whether a viewer received it. */
  say(message: string, more: Partial<ChatResponseHubDto> = {}) {
    const { sessionId, targetProcessId: desktopSessionProcessId, viewerConnectionId } = this.messages.at(-1)!
    return this.#connection!.SendChatResponse({
      sessionId,
      desktopSessionProcessId,
      message,
      senderUsername: 'ben',
      viewerConnectionId,
      timestamp: new Date().toISOString(),
      ...more,
    })
  }

  stop() {
    return this.#connection!.connection.stop()
  }
}
