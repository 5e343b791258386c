import type { IncomingMessage } from 'node:http'
import type { Cluster } from '../../engines/cluster/cluster.ts'
import { sendError } from '../../engines/http/web/error-handler.ts'
import { pathOf } from '../../engines/http/web/request.ts'
import type { Listener } from '../../engines/http/web/response.ts'
import { pause, type Clock } from '../../ground/clock.ts'
import { AppError } from '../../ground/errors.ts'
import type { Log } from '../../ground/log.ts'
import type { HubServers } from '../hubs.ts'

/** Connections that are ended in a second: one server takes about 400 connects a second on two processors. */
const connectionsPerSecond = 300
/** Time limit for connections that reconnect elsewhere; the rest is closed with the server. */
const connectionsMs = 60_000
/** Time in which a balancer that does not ask `/health` notices by rejected reads, which it repeats at another server. */
const rejectedReadsMs = 1_000

export const longestDrainMs = ({ drainDelayMs }: { drainDelayMs: number }): number =>
  drainDelayMs === 0 ? 0 : drainDelayMs + connectionsMs + rejectedReadsMs

interface DrainDependencies {
  clock: Clock
  log: Log
  cluster: Pick<Cluster, 'servers' | 'hasUnanswered' | 'refresh' | 'announceDrain'>
  /** Time in which a balancer notices by `/health`; 0 for no drain. */
  delayMs: number
  /** Whether another server has passed a request on. */
  isPassedOn: (request: IncomingMessage) => boolean
}

const stopping = () => new AppError(503, 'This server is stopping. Try again.', { headers: { 'retry-after': '2' } })

/** The time before one of several servers stops, in which the others take over its requests and connections. */
export class Drain {
  readonly #deps: DrainDependencies
  #state: 'off' | 'serving' | 'rejecting' = 'off'

  constructor(deps: DrainDependencies) {
    this.#deps = deps
  }

  get isRunning(): boolean {
    return this.#state !== 'off'
  }

  /** A listener that answers 503 to reads in the last second: a balancer repeats them at another server, and leaves this one out. */
  around(listener: Listener): Listener {
    return (request, response) => {
      if (this.#state === 'rejecting' && this.#isRepeatable(request)) {
        sendError(response, stopping(), this.#deps.log)
      } else {
        listener(request, response)
      }
    }
  }

  #isRepeatable(request: IncomingMessage): boolean {
    return request.method === 'GET' && pathOf(request).toLowerCase() !== '/health' && !this.#deps.isPassedOn(request)
  }

  /** Resolves without another server that stays once Redis has answered, and from then on when `signal` aborts. */
  async run(hubs: Pick<HubServers, 'drain'>, signal: AbortSignal): Promise<void> {
    const { clock, log, cluster, delayMs } = this.#deps
    if (delayMs === 0) {
      return
    }
    // Updates go from server to server: the one before may have joined a moment ago, and may be too busy to answer this one.
    await cluster.refresh()
    const staying = cluster.servers().filter(({ isDraining }) => !isDraining)
    if (staying.length < 2 && !cluster.hasUnanswered) {
      return
    }
    cluster.announceDrain()
    log.info({}, 'The other servers take over before this one stops.')
    this.#state = 'serving'
    await pause(clock, delayMs, signal)
    const limit = new AbortController()
    const cancel = clock.after(connectionsMs, () => limit.abort())
    await hubs.drain(connectionsPerSecond, AbortSignal.any([signal, limit.signal]))
    cancel()
    this.#state = 'rejecting'
    await pause(clock, rejectedReadsMs, signal)
  }
}
