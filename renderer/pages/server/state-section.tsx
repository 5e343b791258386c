import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { ServerStateDto } from '../../../shared/dtos/server-setting.ts'
import { serverQueries } from '../../api/server-queries.ts'
import { Fact } from '../../components/fact.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { useNow } from '../../hooks/use-now.ts'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { byteSize, duration, exactTime, moment } from '../../text/format.ts'
import { DashboardLink } from './dashboard-section.tsx'
import card from '../../components/card-page.module.css'
import classes from './server-page.module.css'

function Facts({ state }: { state: ServerStateDto }) {
  const { can } = useSession()
  const now = useNow()
  const { data: stats } = useQuery(serverQueries.serverStats)
  const { data: backup } = useQuery(serverQueries.backup)
  const started = Date.parse(state.startedAt)
  const { agents, viewers, sessions } = state.connections
  const rows: [label: string, value: ReactNode][] = [
    [t.server.version, state.version],
    [
      t.server.running,
      <time key="at" dateTime={state.startedAt} title={exactTime(started)}>
        {moment(started, now)} {t.server.uptime(duration(Math.max(0, now - started) / 1000))}
      </time>,
    ],
    [t.server.connections, t.server.connected(agents, viewers, sessions)],
    [
      t.server.totals,
      stats && (
        <span key="totals">
          {t.server.total(stats.totalAgents, stats.totalUsers)},{' '}
          {can('server.tenants.read') ? (
            <Link to="/tenants">{t.server.tenants(stats.totalTenants)}</Link>
          ) : (
            t.server.tenants(stats.totalTenants)
          )}
        </span>
      ),
    ],
    [t.server.database, t.server.databaseSize(byteSize(state.databaseBytes), byteSize(state.databaseLogBytes))],
    [
      t.server.lastBackup,
      backup && (
        <Link key="backup" to="/backup">
          {backup.newest ? <RelativeTime at={backup.newest.at} /> : t.backup.none}
        </Link>
      ),
    ],
    [
      t.server.auditLog,
      can('appliance.audit.read') ? (
        <Link key="audit" to="/audit">
          {t.server.events(state.auditEvents)}
        </Link>
      ) : (
        t.server.events(state.auditEvents)
      ),
    ],
    [t.server.log, state.logBytes === null ? t.server.noLogFile : byteSize(state.logBytes)],
    [t.server.free, state.freeBytes === null ? t.common.unknown : byteSize(state.freeBytes)],
    [t.server.computer, `${state.computer}, ${state.system}, Node ${state.runtime}`],
    [t.server.folder, state.dataDirectory],
    [t.server.settingsFile, state.settingsFile ?? t.server.noFile],
    [t.server.keys, t.server.secretStores[state.secretStore]],
  ]
  return (
    <dl className={card.facts}>
      {rows.map(([label, value]) => (
        <Fact key={label} label={label} className="tabular">
          {value}
        </Fact>
      ))}
    </dl>
  )
}

/** Version, sizes and connections at this moment. */
export function StateSection() {
  const query = useQuery(serverQueries.serverState)
  return (
    <section className={classes.section} aria-label={t.server.state}>
      <h2>{t.server.state}</h2>
      {query.data ? <Facts state={query.data} /> : <QueryState query={query} height={310} />}
      <div className={classes.actions}>
        <DashboardLink />
      </div>
    </section>
  )
}
