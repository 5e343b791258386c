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
}

export interface ApplianceOptions {
  /** Reads the configuration and builds a server for each start; may throw. */
  create(): ApplianceServer
  onChange(state: ServerState): void
  /** Message for a failed start. */
  explain(error: unknown): string
}

/** Hosts the server in this process. Starts and stops are queued, so that the last request wins. */
export function createAppliance({ create, onChange, explain }: ApplianceOptions): Appliance {
  let current: ServerState = { state: 'stopped', url: null, setupCode: null, problem: null }
  let running: RunningServer | undefined
  let server: ApplianceServer | undefined
  const changes = new Mutex()

  const become = (state: ServerState['state'], more: Partial<ServerState> = {}) => {
    current = { state, url: null, setupCode: null, problem: null, ...more }
    onChange(current)
    return current
  }
  const start = async () => {
    if (server) {
      return current
    }
    become('starting')
    try {
      const starting = create()
      running = await starting.start()
      server = starting
      return become('running', { url: running.urls[0] ?? null, setupCode: running.setupCode })
    } catch (error) {
      return become('failed', { problem: explain(error) })
    }
  }
  const stop = async () => {
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
    rescue: async (request) => (await server?.rescue(request)) ?? { problem: 'The server is not running.' },
    isOwnCertificate: async (pem) => (await running?.isOwnCertificate(pem)) ?? false,
  }
}
