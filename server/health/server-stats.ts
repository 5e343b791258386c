import type { ServerStatsDto } from '../../shared/dtos/server-stats.ts'
import type { App, OpenCall } from '../call/call.ts'
import { holds } from '../rights/rights.ts'

/** Minimum interval between pushes of changed numbers. */
const pushMs = 2_000

/** Numbers of tenants, users and devices, and of those online. */
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

/**
 * Pushes changed numbers to the viewers that may read them, and all numbers to new viewers. Returns a function that
 * stops the pushes.
 */
export function pushServerStats(app: App): () => void {
  /** Last numbers sent to each connected viewer. */
  let sent = new Map<string, string>()
  return app.clock.every(pushMs, () => {
    // Does not check the credential, because a check counts as use; connections of ended credentials are closed
    // elsewhere.
    const readers = [...app.hubs.viewer.connected()].filter(({ principal }) =>
      holds(app, principal, 'server.telemetry.read'),
    )
    const stats = serverStats({ app })
    const text = JSON.stringify(stats)
    const behind = readers.map(({ connectionId }) => connectionId).filter((id) => sent.get(id) !== text)
    sent = new Map(readers.map(({ connectionId }) => [connectionId, text]))
    if (behind.length > 0) {
      void app.hubs.viewer.send(...behind).ReceiveServerStats(stats)
    }
  })
}
