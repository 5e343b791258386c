import type { ServerStatsDto } from '../../../shared/dtos/server-stats.ts'
import type { App, OpenCall } from '../../call.ts'
import { holds } from '../../policies/rights.ts'

/** Viewers hear of changed numbers at most this often. */
const pushMs = 2_000

/** How much there is on this server, and who is online. */
export function serverStats({ app: { tenants, accounts, fleet, hubs } }: Pick<OpenCall, 'app'>): ServerStatsDto {
  const people = [...hubs.viewer.connected()].filter(({ principal }) => principal.kind === 'User')
  return {
    totalTenants: tenants.size,
    totalUsers: accounts.size,
    onlineAgents: fleet.onlineCount,
    totalAgents: fleet.size,
    onlineUsers: new Set(people.map(({ principal }) => principal.id)).size,
  }
}

/** Pushes the numbers to the viewers that may know them, new ones too. Returns the function that stops it. */
export function pushServerStats(app: App): () => void {
  /** What each connected viewer was told last. */
  let told = new Map<string, string>()
  return app.clock.every(pushMs, () => {
    // Not asked whether the credential lives: that would count as its use, and connections of ended ones are cut.
    const readers = [...app.hubs.viewer.connected()].filter(({ principal }) =>
      holds(app, principal, 'server.telemetry.read'),
    )
    const stats = serverStats({ app })
    const text = JSON.stringify(stats)
    const behind = readers.map(({ connectionId }) => connectionId).filter((id) => told.get(id) !== text)
    told = new Map(readers.map(({ connectionId }) => [connectionId, text]))
    if (behind.length > 0) {
      void app.hubs.viewer.send(...behind).ReceiveServerStats(stats)
    }
  })
}
