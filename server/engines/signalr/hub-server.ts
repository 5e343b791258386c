import { systemClock, type Clock } from '../../ground/clock.ts'
import type { Log } from '../../ground/log.ts'
import type { AddressCount } from '../flow/address-counts.ts'
import { Clients } from './clients.ts'
import { HubEndpoint } from './endpoint.ts'
import { HubEngine } from './hub-engine.ts'
import type { ConnectionList, Groups, Hub, HubClients } from './hub.ts'
import type { HubOptions } from './options.ts'

function write(fields: object, message: string): void {
  const { err } = fields as { err?: Error }
  process.stderr.write(err ? `${message} ${err.stack ?? err.message}\n` : `${message}\n`)
}

/** Default log: warnings and errors on standard error. */
const standardErrorLog: Log = {
  debug() {},
  info() {},
  warn: write,
  error: write,
  child: () => standardErrorLog,
}

export interface HubServerDependencies {
  options?: Partial<HubOptions>
  /** Defaults to the system clock. */
  clock?: Clock
  /** Defaults to standard error, for warnings and errors. */
  log?: Log
}

/**
 * A hub's clients. They can be addressed before the hub exists, because dependencies of its methods may send to
 * clients.
 */
export interface HubServer {
  readonly clients: HubClients
  readonly groups: Groups
  readonly connections: ConnectionList
  /** Address whose connections are closest to their limit. */
  readonly nearest: AddressCount | undefined
  /**
   * Serves `hub`. The returned endpoint handles client requests: the host application has matched the path and
   * authenticated the caller. A server has one hub; a second call throws.
   */
  serve(hub: Hub): HubEndpoint
  /**
   * Rejects new connections and ends the open ones, `perSecond` at most, each when its calls are answered. Resolves when all are
   * ended, or when `signal` aborts.
   */
  drain(perSecond: number, signal: AbortSignal): Promise<void>
  /** Ends every connection and lets the clients reconnect. Resolves within the shutdown timeout. */
  close(): Promise<void>
}

export function createHubServer({
  options = {},
  clock = systemClock,
  log = standardErrorLog,
}: HubServerDependencies = {}): HubServer {
  const clients = new Clients()
  let engine: HubEngine | undefined
  return {
    clients,
    groups: clients.connections,
    connections: clients.connections,
    get nearest() {
      return engine?.addresses.nearest
    },
    serve(hub) {
      if (engine) {
        throw new Error('This hub server already has a hub.')
      }
      engine = new HubEngine({ options, clock, log, hub, clients })
      return new HubEndpoint(engine)
    },
    drain: async (perSecond, signal) => await engine?.drain(perSecond, signal),
    close: async () => await engine?.close(),
  }
}
