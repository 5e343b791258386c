import { plural } from '../../shared/plural.ts'
import { ok, problem, warning, type HealthCheck } from './check.ts'

/** The servers of the database. Shown where the settings join several. */
export const joinedServers: HealthCheck = {
  id: 'servers',
  title: 'Servers',
  run({ servers, version, config, cluster }) {
    const own = { name: 'this one', address: config.cluster.nodeUrl ?? '', version }
    const all = [own, ...servers.others]
    const named = all.map(({ name, address }) => (address === '' ? name : `${name} at ${address}`))
    const work = servers.hasWork ? 'this one does' : 'another one does'
    const summary = `${plural(all.length, 'server', 'servers')} of this database: ${named.join(', ')}; ${work} the work for all`
    if (cluster?.isAlone) {
      return problem(
        `${summary}; Redis does not answer`,
        'Start Redis, or correct Service_Cluster__RedisUrl. Until then sessions and jobs with devices of other servers may fail.',
      )
    }
    const versions = new Set(all.map((each) => each.version))
    if (versions.size > 1) {
      return warning(
        `${summary}; versions ${[...versions].join(' and ')}`,
        'Two versions side by side are meant for an update: install the newest on all servers.',
      )
    }
    return all.length === 1
      ? warning(summary, 'The others have stopped, or cannot reach the database. Start them again.')
      : ok(summary)
  },
}
