import { Mutex } from '../shared/mutex.ts'
import type { ApplianceServer, RescueAnswer, RescueRequest, RunningServer } from '../server/app.ts'
import type { ServerState } from '../shared/ipc.ts'

export interface Appliance {
  state(): ServerState
  /** Starts the server unless it is running. Resolves with the resulting state, never rejects. */
  start(): Promise<ServerState>
  restart(): Promise<ServerState>
  stop(): Promise<void>
  /** Carries out a command for an account of the running server. */
  rescue(request: RescueRequest): Promise<RescueAnswer>
  /** Whether a PEM certificate has the key that this server presents. */
  isOwnCertificate(pem: string): Promise<boolean>
  /** Number of remote sessions through the server of this process. */
  sessions(): number
}

/**
 * Server in another process: on the data folder of this window, or the service of the whole computer, which may be
 * installed without answering yet.
 */
export type FoundServer =
  | { kind: 'own' | 'service'; url: string | null; setupCode: string | null }
  | { kind: 'expected'; problem: string }

export interface OtherServer {
  /** Undefined if this window is to serve by itself. */
  ask(): Promise<FoundServer | undefined>
  /** Carries out a command for an account; undefined where the window may not. */
  rescue(request: RescueRequest): Promise<RescueAnswer | undefined>
  isOwnCertificate(pem: string): Promise<boolean>
}

export interface ApplianceOptions {
  /** Reads the configuration and builds a server for each start; may throw. */
  create(): ApplianceServer
  other: OtherServer
  onChange(state: ServerState): void
  /** Message for a failed start. */
  explain(error: unknown): string
}

/** Key of a found server, to notice that another one was found. */
const placeOf = (found: FoundServer | undefined) =>
  found && (found.kind === 'expected' ? found.kind : `${found.kind} ${found.url}`)

/** Polling interval for the other server. */
const otherMs = 5_000

/**
 * Hosts the server in this process, or follows the one that a service runs on the same data folder. Starts and stops
 * are queued, so that the last request wins.
 */
export function createAppliance({ create, other, onChange, explain }: ApplianceOptions): Appliance {
  let current: ServerState = { state: 'stopped', url: null, setupCode: null, problem: null, isService: false }
  let running: RunningServer | undefined
  let server: ApplianceServer | undefined
  let following: NodeJS.Timeout | undefined
  const changes = new Mutex()

  const become = (state: ServerState['state'], more: Partial<ServerState> = {}) => {
    current = { state, url: null, setupCode: null, problem: null, isService: false, ...more }
    onChange(current)
    return current
  }
  /** Follows the other server, and starts again when that server ends, moves or begins to answer. */
  const follow = (first: FoundServer) => {
    const timer = setInterval(() => {
      void other.ask().then((found) => {
        if (placeOf(found) !== placeOf(first) && following === timer) {
          stopFollowing()
          void changes.run(start)
        }
      })
    }, otherMs)
    following = timer.unref()
    return first.kind === 'expected'
      ? become('failed', { problem: first.problem, isService: true })
      : become('running', { url: first.url, setupCode: first.setupCode, isService: true })
  }
  const stopFollowing = () => {
    clearInterval(following)
    following = undefined
  }
  const start = async () => {
    if (server || (following && current.state === 'running')) {
      return current
    }
    stopFollowing()
    become('starting')
    try {
      const found = await other.ask()
      if (found) {
        return follow(found)
      }
      const starting = create()
      running = await starting.start()
      server = starting
      return become('running', { url: running.urls[0] ?? null, setupCode: running.setupCode, problem: running.problem })
    } catch (error) {
      return become('failed', { problem: explain(error) })
    }
  }
  const stop = async () => {
    stopFollowing()
    if (!server) {
      return
    }
    become('stopping')
    const stopping = server
    server = undefined
    running = undefined
    await stopping.stop()
    become('stopped')
  }
  return {
    state: () => current,
    start: () => changes.run(start),
    restart: () => changes.run(async () => (await stop(), start())),
    stop: () => changes.run(stop),
    rescue: async (request) =>
      (await (following ? other.rescue(request) : server?.rescue(request))) ?? {
        problem: 'The server is not running.',
      },
    isOwnCertificate: async (pem) =>
      following ? other.isOwnCertificate(pem) : ((await running?.isOwnCertificate(pem)) ?? false),
    sessions: () => server?.sessionCount() ?? 0,
  }
}
