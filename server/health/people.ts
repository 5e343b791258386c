import { dayMs } from '../../shared/durations.ts'
import { auditKinds } from '../../shared/audit-kinds.ts'
import { isRecentFailure } from '../audit/indexed-conditions.ts'
import { outdatedTest } from '../fleet/device-query.ts'
import { ok, warning, type HealthCheck } from './check.ts'
import { plural } from '../../shared/plural.ts'

/** More refusals in a day than people mistype. */
const many = 200

/** Kinds whose failures nobody was refused in: work of this server itself, such as a delivery that did not arrive. */
const ownWork = Object.entries(auditKinds).flatMap(([name, { category }]) =>
  category === 'export' || category === 'server' ? [name] : [],
)

const agents: HealthCheck = {
  id: 'agents',
  title: 'Agents',
  run(app) {
    const {
      fleet,
      agentRelease: { version },
    } = app
    const isOutdated = outdatedTest({ app })
    let behind = 0
    for (const device of fleet.all) {
      behind += isOutdated({ device }) ? 1 : 0
    }
    const summary = `${plural(fleet.size, 'device', 'devices')}, ${fleet.onlineCount.toLocaleString('en')} online`
    return behind === 0
      ? ok(version === undefined ? `${summary}; no agent is offered here` : `${summary}; none is behind ${version}`)
      : warning(
          `${summary}; ${plural(behind, 'agent is', 'agents are')} not of version ${version}`,
          'Online agents update within hours. Search for is:outdated on the Devices page and update the others.',
        )
  },
}

const refused: HealthCheck = {
  id: 'refused',
  title: 'Refused in the last day',
  async run({ database, clock }) {
    const rows = await database.all<{ kind: string; count: number }>(
      `SELECT kind, sum(count) AS count FROM audit_events
       WHERE ${isRecentFailure} AND kind NOT IN (SELECT value FROM json_each(?)) GROUP BY kind ORDER BY 2 DESC, kind`,
      [clock.now() - dayMs, JSON.stringify(ownWork)],
    )
    const total = rows.reduce((sum, { count }) => sum + count, 0)
    if (total === 0) {
      return ok('Nothing')
    }
    const summary = `${plural(total, 'attempt', 'attempts')}: ${rows.map(({ kind, count }) => `${kind} ${count.toLocaleString('en')}`).join(', ')}`
    return total > many ? warning(summary, 'Look at the audit log for who tries, and from where.') : ok(summary)
  },
}

const mostShown = 5

const blockedKeys: HealthCheck = {
  id: 'blocked-keys',
  title: 'Blocked API keys',
  run({ blockedKeys: { all }, apiKeys, clock }) {
    if (all.length === 0) {
      return ok('None')
    }
    const shown = all.slice(-mostShown).map(({ address, credentialId, until }) => {
      const account = apiKeys.principalOf(credentialId)?.name
      const minutes = plural(Math.ceil((until - clock.now()) / 60_000), 'minute', 'minutes')
      return `${address} (${account === undefined ? 'a key that does not exist or has ended' : `a key of ${account}`}, ${minutes})`
    })
    const more = all.length > mostShown ? ` and ${all.length - mostShown} more` : ''
    return warning(
      `Wrong keys block ${shown.join(', ')}${more}`,
      'Every API key from there is rejected until then, right ones too. Give the program its present key.',
    )
  },
}

export const peopleChecks: readonly HealthCheck[] = [agents, refused, blockedKeys]
