import {
  HttpClient,
  HttpTransportType,
  HubConnectionBuilder,
  LogLevel,
  type HttpResponse,
  type HubConnection,
} from '@microsoft/signalr'
import { handleHub, hubMethods, type HubClientHandlers, type HubServerMethods } from '../../shared/contract/hub.ts'
import { agentHub } from '../../shared/hubs/agent-hub.ts'
import type { StreamPace } from '../../shared/contract/hub-streams.ts'
import type { Clock } from '../base/clock.ts'
import { AgentProtocol } from './json-protocol.ts'
import type { Log } from '../base/log.ts'
import { PacedSocket } from './paced-socket.ts'
import type { ServerAccess } from '../trust/access.ts'

type Methods = HubServerMethods<typeof agentHub>
/** `AgentProtocol` decodes the items of streams. */
export type AgentHubMethods = Omit<Methods, 'GetFileStreamFromViewer'> & {
  GetFileStreamFromViewer(...args: Parameters<Methods['GetFileStreamFromViewer']>): AsyncIterable<Uint8Array>
}

export interface ConnectionDependencies {
  access: ServerAccess
  clock: Clock
  log: Log
  random?: () => number
  handlers: HubClientHandlers<typeof agentHub>
  onConnected: () => void
  /** Called with the reason, each time the connection fails or is lost. */
  onDisconnected: (reason: string) => void
}

/**
 * Seconds to wait before try `attempt` (0, 1, 2, ...): min(n², 30) plus a random part. Other agents add 0 to 20 s from
 * the start; this agent's random part grows to 20 s and starts at 3 s, because most connections are lost to a restart
 * of the server, which takes a second or two: devices should reconnect soon, but not all at once.
 */
export function reconnectDelaySeconds(attempt: number, random: () => number): number {
  return Math.min(attempt ** 2, 30) + random() * Math.min(3 * Math.max(attempt, 1), 20)
}

/** Rejects HTTP requests: without negotiation the client library sends none, but requires a client. */
class NoHttp extends HttpClient {
  override send(): Promise<HttpResponse> {
    return Promise.reject(new Error('The agent hub supports only WebSocket.'))
  }
}

const hubAddress = (origin: string) => new URL(agentHub.path, origin).href

const logLevels = { [LogLevel.Error]: 'error', [LogLevel.Critical]: 'error', [LogLevel.Warning]: 'warn' } as const

/** Connection to the agent hub: retries until connected, and reconnects when the connection is lost. */
export class AgentConnection {
  readonly server: AgentHubMethods
  readonly #deps: ConnectionDependencies
  readonly #hub: HubConnection
  #socket: PacedSocket | undefined
  /** Last error of the socket; the client library replaces the error with a guess. */
  #socketError: unknown
  readonly #stopped = new AbortController()
  #closed: ((error: Error | undefined) => void)[] = []
  #wake: () => void = () => {}

  constructor(deps: ConnectionDependencies) {
    this.#deps = deps
    this.#hub = this.#build()
    const pace: StreamPace = {
      room: () => this.#socket?.room() ?? Promise.reject(new Error('The agent is not connected.')),
      hold: () => this.#socket?.hold() ?? (() => {}),
    }
    this.server = hubMethods(agentHub, this.#hub, pace) as unknown as AgentHubMethods
    handleHub(agentHub, this.#hub, deps.handlers)
  }

  /** Connects, and reconnects until `stop`. */
  async run(): Promise<void> {
    for (let attempt = 0; !this.#isStopped; attempt++) {
      const lost = new Promise<Error | undefined>((resolve) => this.#closed.push(resolve))
      try {
        await this.#connect(attempt)
      } catch (error) {
        await this.#waitAfter(attempt, await this.#deps.access.explain(this.#socketError ?? error))
        continue
      }
      this.#deps.onConnected()
      attempt = -1
      const error = await lost
      if (!this.#isStopped) {
        await this.#waitAfter(
          0,
          error ? `The connection was lost: ${error.message}` : 'The server ended the connection.',
        )
      }
    }
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    this.#wake()
    await this.#hub.stop()
  }

  get #isStopped() {
    return this.#stopped.signal.aborted
  }

  async #connect(attempt: number) {
    this.#socketError = undefined
    const origin = await this.#deps.access.locate(attempt, this.#stopped.signal)
    this.#stopped.signal.throwIfAborted()
    this.#hub.baseUrl = hubAddress(origin)
    await this.#hub.start()
  }

  async #waitAfter(attempt: number, reason: string) {
    if (this.#isStopped) {
      return
    }
    const { clock, random = Math.random, onDisconnected } = this.#deps
    onDisconnected(reason)
    const seconds = reconnectDelaySeconds(attempt, random)
    await new Promise<void>((resolve) => {
      const cancel = clock.after(seconds * 1000, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
  }

  #build() {
    const { access } = this.#deps
    const watch = (socket: PacedSocket) => {
      this.#socket = socket
      socket.on('error', (error) => (this.#socketError = error))
    }
    class Socket extends PacedSocket {
      constructor(...[address, protocols, options]: ConstructorParameters<typeof PacedSocket>) {
        super(address, protocols, { ...options, ...access.socketOptions })
        watch(this)
      }
    }
    const log = (level: LogLevel, message: string) => {
      const name = logLevels[level as keyof typeof logLevels]
      // This class logs the reason of a failed attempt; the library only lists possible reasons.
      if (name && !this.#isStopped && !message.startsWith('Failed to start the connection')) {
        this.#deps.log[name]({ source: 'signalr' }, message)
      }
    }
    // The library accepts `WebSocket` but omits the option from its published type, so an inline literal would not
    // compile.
    const options = {
      transport: HttpTransportType.WebSockets,
      skipNegotiation: true,
      httpClient: new NoHttp(),
      WebSocket: Socket,
    }
    const hub = new HubConnectionBuilder()
      .withUrl(hubAddress(access.origin), options)
      .withHubProtocol(new AgentProtocol())
      .configureLogging({ log })
      .build()
    hub.onclose((error) => {
      const waiting = this.#closed
      this.#closed = []
      waiting.forEach((resolve) => resolve(error))
    })
    return hub
  }
}
