import type { App } from '../../call/call.ts'
import type { Cluster } from '../../engines/cluster/cluster.ts'
import { serverIn } from '../../engines/cluster/server-in.ts'
import type { Clock } from '../../ground/clock.ts'
import type { Log } from '../../ground/log.ts'

/** Interval of comparing the servers, and the pause after a round. */
const roundMs = 10_000
/** Pause after a change of the servers: agents of one that ended are still on their way. */
const settledMs = 60_000
/** Longest pause of a server whose agents came back to it: they know its address alone. */
const longestPauseMs = 60 * 60_000
/** Surplus that is left alone: in agents, and as a share of the agents that a server should have. */
const tolerated = { agents: 5, share: 0.2 }
/** Agents asked in a round, so that neither they nor the other servers notice: at least, and as a share of the agents here. */
const asked = { agents: 5, share: 0.02 }

interface Agent {
  deviceId: string
  connectionId: string
}

export interface AgentSpreadDependencies {
  clock: Clock
  log: Log
  cluster: Pick<Cluster, 'id' | 'isAlone' | 'servers' | 'onChange'>
  /** Connected agents of all servers. */
  agents(): Iterable<Agent>
  connectionOf(deviceId: string): string
  /** Whether work with a device would break. */
  isBusy(agent: Agent): boolean
  /** Whether a running batch forbids disconnecting agents. */
  hasRunningBatch(): Promise<boolean>
  reconnect(connectionId: string): void
}

/**
 * Spreads agents evenly over the servers. After a restart of a server its agents are on the others: a server with clearly more
 * agents than its part asks some idle ones to connect again, a few at a time, and the balancer gives them to all servers.
 */
export class AgentSpread {
  readonly #deps: AgentSpreadDependencies
  readonly #stops: (() => void)[]
  #asked: readonly Agent[] = []
  #pauseMs = roundMs
  #nextAt: number

  constructor(deps: AgentSpreadDependencies) {
    const { clock, cluster, log } = deps
    this.#deps = deps
    this.#nextAt = clock.monotonic() + settledMs
    const failed = (error: unknown) =>
      log.warn({ err: error }, 'Agents could not be spread over the servers; retrying.')
    this.#stops = [
      cluster.onChange(() => (this.#nextAt = clock.monotonic() + settledMs)),
      clock.every(roundMs, () => void this.#round().catch(failed)),
    ]
  }

  stop(): void {
    this.#stops.forEach((stop) => stop())
  }

  async #round(): Promise<void> {
    const { clock, cluster, log, reconnect, hasRunningBatch } = this.#deps
    // The agents of a server that drains are on their way to the others.
    const isDraining = cluster.servers().some((server) => server.isDraining)
    if (cluster.isAlone || isDraining || clock.monotonic() < this.#nextAt) {
      return
    }
    this.#judge()
    // Chosen last: an agent that begins work meanwhile stays.
    const chosen = (await hasRunningBatch()) ? [] : this.#choose()
    if (chosen.length > 0) {
      this.#asked = chosen
      this.#nextAt = clock.monotonic() + this.#pauseMs
      log.info({ agents: chosen.length }, 'This server holds more agents than others: some are asked to connect again.')
      chosen.forEach(({ connectionId }) => reconnect(connectionId))
    }
  }

  /** Doubles the pause if all agents of the last round came back to this server. */
  #judge(): void {
    if (this.#asked.length > 0) {
      const hasMoved = this.#asked.some(({ deviceId }) => !this.#isHere(this.#deps.connectionOf(deviceId)))
      this.#pauseMs = hasMoved ? roundMs : Math.min(this.#pauseMs * 2, longestPauseMs)
      this.#asked = []
    }
  }

  #isHere(connectionId: string): boolean {
    return serverIn(connectionId) === this.#deps.cluster.id
  }

  /** Idle agents of this server to be asked; none if it has no clear surplus. */
  #choose(): Agent[] {
    const { cluster, agents, isBusy } = this.#deps
    const all = [...agents()]
    const here = all.filter(({ connectionId }) => this.#isHere(connectionId))
    const part = all.length / cluster.servers().length
    const surplus = here.length - part
    if (surplus <= Math.max(tolerated.agents, part * tolerated.share)) {
      return []
    }
    const most = Math.min(surplus, Math.max(asked.agents, here.length * asked.share))
    // Begins anywhere, so that agents that come back to this server are not asked again and again.
    const begin = Math.floor(Math.random() * here.length)
    const idle = [...here.slice(begin), ...here.slice(0, begin)].values().filter((agent) => !isBusy(agent))
    return [...idle.take(most)]
  }
}

export function spreadAgents(app: App, cluster: Cluster): AgentSpread {
  const { clock, log, fleet, hubs, remoteSessions, database } = app
  const connectionOf = (deviceId: string) => fleet.get(deviceId)?.connectionId ?? ''
  return new AgentSpread({
    clock,
    log,
    cluster,
    connectionOf,
    *agents() {
      for (const deviceId of fleet.onlineIds()) {
        yield { deviceId, connectionId: connectionOf(deviceId) }
      }
    },
    isBusy: ({ deviceId, connectionId }) =>
      hubs.agent.isAwaited(connectionId) || [...remoteSessions].some((session) => session.deviceId === deviceId),
    // A batch skips devices that are away when it comes to them.
    hasRunningBatch: async () =>
      (await database.all('SELECT 1 FROM batches WHERE finishedAt IS NULL LIMIT 1')).length > 0,
    reconnect: (connectionId) => hubs.agent.disconnect(connectionId),
  })
}
