import { isDeepStrictEqual } from 'node:util'
import type { ServerStatsDto } from '../../../shared/dtos/server-stats.ts'
import type { App } from '../../context.ts'
import { holds } from '../../policies/rights.ts'

/** Viewers hear of changed numbers at most this often. */
const pushMs = 2_000

type Totals = Pick<ServerStatsDto, 'totalTenants' | 'totalUsers'>

/** How much there is on this server, and who is online: asked for, and pushed to those who may know. */
export class ServerStats {
  readonly #app: App
  /** What each connected viewer was told last. */
  #told = new Map<string, string>()
  #last: ServerStatsDto | undefined
  #totals: { commits: number; counts: Totals } | undefined

  constructor(app: App) {
    this.#app = app
  }

  /** The same object for as long as the numbers are the same. */
  async current(): Promise<ServerStatsDto> {
    const { fleet, hubs } = this.#app
    const totals = await this.#readTotals()
    const people = [...hubs.viewer.connected()].filter(({ principal }) => principal.kind === 'User')
    const now: ServerStatsDto = {
      ...totals,
      onlineAgents: fleet.onlineCount,
      totalAgents: fleet.size,
      onlineUsers: new Set(people.map(({ principal }) => principal.id)).size,
    }
    return isDeepStrictEqual(now, { ...this.#last }) ? this.#last! : (this.#last = now)
  }

  /** What the database counts; asked again only after something was written. */
  async #readTotals(): Promise<Totals> {
    const { database } = this.#app
    const { commits } = database
    if (this.#totals?.commits !== commits) {
      const [counts] = await database.all<Totals>(
        'SELECT (SELECT count(*) FROM tenants) AS totalTenants, (SELECT count(*) FROM users) AS totalUsers',
      )
      this.#totals = { commits, counts: counts! }
    }
    return this.#totals.counts
  }

  /** Keeps viewers informed, new ones too. Returns the function that stops it. */
  start(): () => void {
    const push = () =>
      void this.#push().catch((error: unknown) =>
        this.#app.log.warn({ err: error }, 'The numbers of the server could not be told to viewers.'),
      )
    return this.#app.clock.every(pushMs, push)
  }

  async #push() {
    const { hubs } = this.#app
    // Not asked whether the credential lives: that would count as its use, and whoever ends one cuts its connections.
    const readers = [...hubs.viewer.connected()].filter(({ principal }) =>
      holds(this.#app, principal, 'server.telemetry.read'),
    )
    if (readers.length === 0) {
      this.#told.clear()
      return
    }
    const stats = await this.current()
    const text = JSON.stringify(stats)
    const behind = readers.map(({ connectionId }) => connectionId).filter((id) => this.#told.get(id) !== text)
    this.#told = new Map(readers.map(({ connectionId }) => [connectionId, text]))
    if (behind.length > 0) {
      void hubs.viewer.send(...behind).ReceiveServerStats(stats)
    }
  }
}
