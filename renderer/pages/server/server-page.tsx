import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Navigate, NavLink, useLocation, useParams } from 'react-router'
import type { PermissionName } from '../../../shared/access.ts'
import { serverQueries } from '../../api/server-queries.ts'
import { NoRight } from '../../components/no-right.tsx'
import { NotFound } from '../../components/not-found.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { useAskedSection } from '../../hooks/use-asked-section.ts'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { DashboardSection } from './dashboard-section.tsx'
import { DecommissionSection } from './decommission-section.tsx'
import { LogSection } from './log-section.tsx'
import { MailSection } from './mail-section.tsx'
import { NoticeSection } from './notice-section.tsx'
import { SettingsForm } from './settings-form.tsx'
import { SettingsTable } from './settings-table.tsx'
import { StateSection } from './state-section.tsx'
import card from '../../components/card-page.module.css'
import classes from './settings-area.module.css'
import { VersionSection } from './version-section.tsx'

interface SettingsAreaProps {
  label: string
  parts: readonly { path: string; label: string }[]
  children: ReactNode
}

/** A settings page in parts, each with an address of its own: the list of parts, and the open one. */
const SettingsArea = ({ label, parts, children }: SettingsAreaProps) => (
  <div className={classes.area}>
    <nav className={classes.parts} aria-label={label}>
      {parts.map((part) => (
        <NavLink key={part.path} to={part.path} end className={classes.part!}>
          {part.label}
        </NavLink>
      ))}
    </nav>
    <div className={card.content}>{children}</div>
  </div>
)

/** Shows its children once the settings of the server are loaded. */
function WithSettings({ children }: { children: ReactNode }) {
  const query = useQuery(serverQueries.serverSettings)
  return query.data ? children : <QueryState query={query} height={320} />
}

function Updates() {
  const { can } = useSession()
  return (
    <>
      {can('server.telemetry.read') && <VersionSection />}
      {can('server.settings.write') && (
        <WithSettings>
          <SettingsForm group="updates" title={t.updates.settings} hint={t.updates.settingsHint} />
        </WithSettings>
      )}
    </>
  )
}

interface Part {
  label: string
  /** Each of these permissions opens the part. */
  permissions: readonly PermissionName[]
  content: ReactNode
}

const settingsPart = (label: string, content: ReactNode): Part => ({
  label,
  permissions: ['server.settings.write'],
  content: <WithSettings>{content}</WithSettings>,
})

/** Parts of the area by the last segment of their address, in the order of the list. */
const parts: Readonly<Record<string, Part>> = {
  state: { label: t.server.state, permissions: ['server.telemetry.read'], content: <StateSection /> },
  updates: {
    label: t.updates.settings,
    permissions: ['server.telemetry.read', 'server.settings.write'],
    content: <Updates />,
  },
  limits: settingsPart(
    t.server.limits,
    <SettingsForm group="limits" title={t.server.limits} hint={t.server.limitsHint} />,
  ),
  mail: settingsPart(t.server.mail, <MailSection />),
  notice: { label: t.server.noticePart, permissions: ['server.settings.write'], content: <NoticeSection /> },
  people: settingsPart(
    t.server.people,
    <SettingsForm group="people" title={t.server.people} hint={t.server.peopleHint} />,
  ),
  dashboard: settingsPart(t.server.dashboardPart, <DashboardSection />),
  log: { label: t.server.logLines, permissions: ['server.telemetry.read'], content: <LogSection /> },
  environment: settingsPart(t.server.environment, <SettingsTable />),
  decommission: {
    label: t.decommission.title,
    permissions: ['server.permissions.write'],
    content: <DecommissionSection />,
  },
}

const pathOf = (name: string) => (name === 'state' ? '/server' : `/server/${name}`)

/** Fragments of the time when all parts were sections of one page; bookmarks and notes still hold them. */
const partOfFragment = (hash: string) => (hash === '#in-force' ? 'environment' : hash.slice(1))

/** Settings area of the server, each part for those who hold its right. */
export function Component() {
  const { can } = useSession()
  const { hash } = useLocation()
  const { part } = useParams()
  const open = Object.keys(parts).filter((name) => parts[name]!.permissions.some(can))
  const shown = parts[part ?? 'state']
  usePageTitle(part !== undefined && shown ? `${shown.label} · ${t.server.title}` : t.server.title)
  useAskedSection()
  if (!shown) {
    return <NotFound />
  }
  const asked =
    part === undefined ? [partOfFragment(hash), 'state', open[0]].find((name) => open.includes(name!)) : part
  if (asked !== undefined && asked !== (part ?? 'state')) {
    return <Navigate to={pathOf(asked) + hash} replace />
  }
  if (open.length === 0) {
    return <NoRight page={t.server.title} rights={shown.permissions} />
  }
  return (
    <>
      <PageHead title={t.server.title} intro={t.server.intro} />
      <SettingsArea
        label={t.server.parts}
        parts={open.map((name) => ({ path: pathOf(name), label: parts[name]!.label }))}
      >
        {shown.permissions.some(can) ? shown.content : <NoRight page={shown.label} rights={shown.permissions} />}
      </SettingsArea>
    </>
  )
}
