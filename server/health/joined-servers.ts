import { plural } from '../../shared/plural.ts'
import { ok, problem, warning, type HealthCheck } from './check.ts'

export const nameOf = ({ name, address }: { name: string; address: string }) =>
  address === '' ? name : `${name} at ${address}`

/** The servers of the database. Shown where the settings join several. */
export const joinedServers: HealthCheck = {
  id: 'servers',
  title: 'Servers',
  run({ servers, version, config, cluster }) {
    const own = { name: 'this one', address: config.cluster.nodeUrl ?? '', version }
    const all = [own, ...servers.others]
    const work = servers.hasWork ? 'this one does' : 'another one does'
    const summary = `${plural(all.length, 'server', 'servers')} of this database: ${all.map(nameOf).join(', ')}; ${work} the work for all`
    if (cluster?.isAlone) {
      return problem(
        `${summary}; Redis does not answer`,
        'Start Redis, or correct Service_Cluster__RedisUrl. Until then sessions and jobs with devices of other servers may fail.',
      )
    }
    const unseen = servers.others.filter(({ id }) => cluster?.server(id) === undefined)
    if (unseen.length > 0) {
      return warning(
        `${summary}; not in the Redis of this one: ${unseen.map(nameOf).join(', ')}`,
        'Set Service_Cluster__RedisUrl to the same Redis on all servers. A server that has just ended disappears within 15 seconds.',
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
