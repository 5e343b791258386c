import { minuteMs } from '../../shared/durations.ts'
import { length, ok, problem, warning, type HealthCheck } from './check.ts'

const warnedMs = minuteMs
/** Difference from which servers do not believe each other (`longestAgeMs` of server/engines/cluster/secret.ts). */
const longestMs = 5 * minuteMs

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
    const named = all.map(({ name, address, clockAheadMs }) => {
      const place = address === '' ? name : `${name} at ${address}`
      return `${place} ${deviation(clockAheadMs)}`
    })
    const summary = `The clocks of the servers and of the database are ${length(differenceMs)} apart: ${named.join(', ')}`
    const advice = 'Set the clocks by a time service, as with timedatectl set-ntp true.'
    return differenceMs < longestMs
      ? warning(summary, `${advice} From 5 minutes on the servers do not believe each other.`)
      : problem(summary, `${advice} Servers that are 5 minutes apart do not reach the devices of each other.`)
  },
}
