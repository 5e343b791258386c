import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { failure, success, successOf, type HubResult } from '../../shared/dtos/hub-result.ts'
import { enroll, type TestAgent } from './agent.ts'
import { pieces } from './file-agent.ts'
import type { Member } from './server.ts'
import { desktop } from './recording-agent.ts'
import { until } from './until.ts'

interface Message {
  type: number
  invocationId?: string
  target?: string
  arguments?: never[]
  item?: unknown
  result?: unknown
  error?: string
  streamIds?: string[]
}

interface Upload {
  streamId: string
  fileName: string
  fileSize: number
}
interface TerminalInput {
  terminalId: string
  input: string
  viewerConnectionId: string | null
}

const separator = '\u001e'
const timestamp = () => new Date().toISOString()
const entryOf = (name: string, isDirectory = false) => ({
  name,
  fullPath: `/srv/${name}`,
  isDirectory,
  size: 3,
  lastModified: timestamp(),
})

/**
 * Agent as implemented by other makers: a bare WebSocket without negotiation, a terminal of lines, calls to the server
 * during calls of the server, and void calls in strict sequence. Ignores unknown members.
 */
export class OtherAgent {
  readonly agent: TestAgent
  /** Void calls in order of completion. */
  readonly done: string[] = []
  /** Uploaded files by name. */
  readonly written = new Map<string, Buffer>()
  /** Relay sockets of this agent by session id. */
  readonly relays = new Map<string, WebSocket>()
  /** Bytes received over the relay. */
  readonly relayed: Buffer[] = []
  readonly file: Buffer = Buffer.alloc(200_000, 'farhand')
  readonly #socket: WebSocket
  readonly #answers = new Map<string, (message: Message) => void>()
  readonly #items = new Map<string, (item: string) => void>()
  /** Sends a terminal's output with the viewer that opened it, like other agents. */
  namesCreator = false
  /** Creators of open terminals. */
  readonly #terminals = new Map<string, string | null>()
  #voidCalls: Promise<unknown> = Promise.resolve()
  #nextId = 1
  #rest = ''
  #isGreeted = false

  private constructor(agent: TestAgent, url: string) {
    this.agent = agent
    this.#socket = new WebSocket(`${url.replace('http', 'ws')}/hubs/agent`)
    this.#socket.on('error', () => {})
    this.#socket.on('open', () => this.#write({ protocol: 'json', version: 1 }))
    this.#socket.on('message', (data: Buffer) => this.#read(data.toString()))
    onTestFinished(() => this.leave())
  }

  static async connect(owner: Member): Promise<OtherAgent> {
    const other = new OtherAgent(await enroll(owner), owner.url)
    await until(() => other.#isGreeted)
    await other.#update()
    return other
  }

  get id(): string {
    return this.agent.id
  }

  leave(): void {
    this.#socket.terminate()
    this.relays.forEach((relay) => relay.terminate())
  }

  /** Sends a person's reply in a chat window. */
  reply(sessionId: string, message: string, viewerConnectionId: string): Promise<unknown> {
    const response = {
      sessionId,
      desktopSessionProcessId: 4711,
      message,
      senderUsername: 'person',
      timestamp: timestamp(),
    }
    return this.#invoke('SendChatResponse', { ...response, viewerConnectionId })
  }

  #write(message: object): void {
    this.#socket.send(JSON.stringify(message) + separator)
  }

  #read(text: string): void {
    const parts = (this.#rest + text).split(separator)
    this.#rest = parts.pop()!
    for (const part of parts) {
      if (this.#isGreeted) {
        this.#take(JSON.parse(part) as Message)
      }
      this.#isGreeted = true
    }
  }

  #take(message: Message): void {
    const { type, invocationId, target, item } = message
    if (type === 1 && invocationId === undefined) {
      this.#voidCalls = this.#voidCalls.then(() => this.#does(message)).then(() => this.done.push(target!))
    } else if (type === 1) {
      void this.#answer(message)
    } else if (type === 2) {
      this.#items.get(invocationId!)?.(item as string)
    } else if (type === 3) {
      this.#answers.get(invocationId!)?.(message)
      this.#answers.delete(invocationId!)
    }
  }

  async #answer(message: Message): Promise<void> {
    const { invocationId, target = '' } = message
    if (!(target in this.#methods)) {
      this.#write({ type: 3, invocationId, error: "Client didn't provide a result." })
      return
    }
    const result = await this.#does(message).catch(() => null)
    this.#write({ type: 3, invocationId, result })
  }

  async #does({ target = '', arguments: args = [] }: Message): Promise<unknown> {
    return await this.#methods[target]?.(...args)
  }

  #invoke(target: string, ...args: unknown[]): Promise<unknown> {
    return this.#ask({ type: 1, target, arguments: args })
  }

  #ask(message: Omit<Message, 'arguments'> & { arguments: unknown[] }, onItem?: (item: string) => void) {
    const invocationId = String(this.#nextId++)
    if (onItem) {
      this.#items.set(invocationId, onItem)
    }
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#answers.set(invocationId, ({ error, result }) =>
      error === undefined ? resolve(result) : reject(new Error(error)),
    )
    this.#write({ ...message, invocationId })
    return promise
  }

  /** Sends without an invocation id, so without a result. */
  #stream(target: string, args: unknown[], items: Iterable<unknown>): void {
    const streamId = String(this.#nextId++)
    this.#write({ type: 1, target, arguments: args, streamIds: [streamId] })
    for (const item of items) {
      this.#write({ type: 2, invocationId: streamId, item })
    }
    this.#write({ type: 3, invocationId: streamId })
  }

  async #update(): Promise<void> {
    const answer = (await this.#invoke('UpdateDeviceSigned', this.agent.signed(this.agent.report()))) as HubResult
    if (!answer.isSuccess) {
      throw new Error(`The update was refused: ${answer.reason}`)
    }
  }

  async #print(terminalId: string, viewerConnectionId: string | null, ...outputs: string[]): Promise<void> {
    for (const output of outputs) {
      const dto = { terminalId, output, outputKind: 0, timestamp: timestamp() }
      await this.#invoke('SendTerminalOutputToViewer', viewerConnectionId, dto)
    }
  }

  async #openTerminal(terminalId: string, viewerConnectionId: string | null): Promise<HubResult> {
    this.#terminals.set(terminalId, viewerConnectionId)
    await this.#print(terminalId, viewerConnectionId, 'PowerShell 7.5\n', 'PS /> ')
    return success
  }

  #openRelay({ sessionId, websocketUri }: { sessionId: string; websocketUri: string }): HubResult {
    const relay = new WebSocket(websocketUri)
    relay.on('message', (message: Buffer) => this.relayed.push(message))
    relay.on('open', () => relay.send(`hello from ${sessionId}`))
    relay.on('error', () => {})
    this.relays.set(sessionId, relay)
    return success
  }

  readonly #methods: Record<string, (...args: never[]) => unknown> = {
    RefreshDeviceInfo: () => this.#update(),
    ReceivePowerStateChange: () => {},
    CloseTerminalSession: (terminalId: string) => this.#terminals.delete(terminalId),
    CreateTerminalSession: (terminalId: string, viewer: string) => this.#openTerminal(terminalId, viewer),
    ReceiveTerminalInput: async ({ terminalId, input, viewerConnectionId }: TerminalInput) => {
      if (!this.#terminals.has(terminalId)) {
        await this.#openTerminal(terminalId, viewerConnectionId)
      }
      const viewer = this.namesCreator ? this.#terminals.get(terminalId)! : viewerConnectionId
      this.#print(terminalId, viewer, `ran ${input}\n`, 'PS /> ').catch(() => {})
      return success
    },
    GetActiveDesktopSessions: () => [desktop(1)],
    CreateRemoteControlSession: (dto: never) => this.#openRelay(dto),
    CreateVncSession: (dto: never) => {
      setTimeout(() => this.#openRelay(dto), 20)
      return success
    },
    SendChatMessage: ({ targetProcessId }: { targetProcessId: number }) =>
      targetProcessId === 4711 ? success : failure('IPC server not found for target process.'),
    CloseChatSession: () => success,
    InvokeCtrlAltDel: () => failure('Ctrl+Alt+Del invocation is only supported on Windows.'),
    TestVncConnection: () => {
      throw new Error('Not reachable.')
    },
    DownloadFileFromViewer: async (dto: Upload) => {
      const chunks: Buffer[] = []
      await this.#ask({ type: 4, target: 'GetFileStreamFromViewer', arguments: [dto] }, (item) =>
        chunks.push(Buffer.from(item, 'base64')),
      )
      this.written.set(dto.fileName, Buffer.concat(chunks))
      return success
    },
    UploadFileToViewer: ({ streamId }: { streamId: string }) => {
      setTimeout(() => this.#stream('SendFileContentStream', [streamId], pieces(this.file)), 20)
      return successOf({ fileSize: this.file.length, fileDisplayName: 'file.bin' })
    },
    StreamDirectoryContents: ({ streamId }: { streamId: string }) => {
      const files = Array.from({ length: 100 }, (_, index) => entryOf(`file-${index}`))
      this.#stream('SendDirectoryContentsStream', [streamId, true], [files, [entryOf('folder', true)]])
      return success
    },
    RequestDesktopPreview: ({ streamId }: { streamId: string }) => {
      this.#stream('SendDesktopPreviewStream', [streamId], pieces(this.file))
      return success
    },
    GetPathSegments: ({ targetPath }: { targetPath: string }) => ({
      success: true,
      pathExists: true,
      pathSegments: ['/', ...targetPath.split('/').filter(Boolean)],
      pathSeparator: '/',
      errorMessage: null,
    }),
  }
}
