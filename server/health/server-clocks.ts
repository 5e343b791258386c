import { longestAgeMs } from '../engines/cluster/secret.ts'
import { length, ok, problem, warning, type HealthCheck } from './check.ts'
import { nameOf } from './joined-servers.ts'

/** A code of an authenticator app is accepted one step of 30 s early or late: beyond, a server rejects codes that others accept. */
const warnedMs = 30_000

const deviation = (ms: number) => (Math.abs(ms) < 1_000 ? 'right' : `${length(ms)} ${ms > 0 ? 'ahead' : 'behind'}`)

/** Clocks of the servers of the database, compared with that of the database. Shown where the settings join several. */
export const serverClocks: HealthCheck = {
  id: 'server-clocks',
  title: 'Clocks of the servers',
  run({ servers, config }) {
    const own = { name: 'this one', address: config.cluster.nodeUrl ?? '', clockAheadMs: servers.clockAheadMs }
    const all = [own, ...servers.others]
    const ahead = [0, ...all.map(({ clockAheadMs }) => clockAheadMs)]
    const differenceMs = Math.max(...ahead) - Math.min(...ahead)
    if (differenceMs < warnedMs) {
      return ok('The clocks of the servers and of the database agree')
    }
    const named = all.map((server) => `${nameOf(server)} ${deviation(server.clockAheadMs)}`)
    const summary = `The clocks of the servers and of the database are ${length(differenceMs)} apart: ${named.join(', ')}`
    const advice = 'Set the clocks by a time service, as with timedatectl set-ntp true.'
    return differenceMs < longestAgeMs
      ? warning(summary, `${advice} At 5 minutes, servers reject each other's messages.`)
      : problem(
          summary,
          `${advice} Servers 5 minutes apart reject each other's messages, and cannot reach each other's devices.`,
        )
  },
}
