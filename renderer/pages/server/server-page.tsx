import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { serverQueries } from '../../api/server-queries.ts'
import { PageHead } from '../../components/page-head.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useAskedSection } from '../../hooks/use-asked-section.ts'
import { useIsLate } from '../../hooks/use-is-late.ts'
import { NoRight } from '../../components/no-right.tsx'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { useSession } from '../../hooks/use-session.ts'
import { en as t } from '../../strings/en.ts'
import { DashboardSection } from './dashboard-section.tsx'
import { LogSection } from './log-section.tsx'
import { MailSection } from './mail-section.tsx'
import { NoticeSection } from './notice-section.tsx'
import classes from './server-page.module.css'
import { SettingsForm } from './settings-form.tsx'
import { SettingsTable } from './settings-table.tsx'
import { StateSection } from './state-section.tsx'
import { VersionSection } from './version-section.tsx'

/** Settings of the server; each part saves by itself. */
function Settings() {
  const { data, error, isPending, refetch } = useQuery(serverQueries.serverSettings)
  const isLate = useIsLate(isPending)
  if (!data) {
    return (
      <div className={classes.wide}>
        {error ? <ProblemAlert error={error} onRetry={() => void refetch()} /> : isLate && <Skeleton height={320} />}
      </div>
    )
  }
  return (
    <>
      <div className={classes.stack}>
        <NoticeSection />
        <SettingsForm group="limits" title={t.server.limits} hint={t.server.limitsHint} />
      </div>
      <div className={classes.stack}>
        <MailSection />
        <SettingsForm group="updates" title={t.updates.settings} hint={t.updates.settingsHint} />
        <SettingsForm group="people" title={t.server.people} hint={t.server.peopleHint} />
        <DashboardSection />
      </div>
      <SettingsTable />
    </>
  )
}

/** Page about the server: its state for readers of the telemetry, its settings for those who may change them. */
export function Component() {
  usePageTitle(t.server.title)
  useAskedSection()
  const { can } = useSession()
  const mayRead = can('server.telemetry.read')
  const mayChange = can('server.settings.write')
  return (
    <>
      <PageHead title={t.server.title} intro={t.server.intro} />
      {mayRead || mayChange ? (
        <div className={classes.content}>
          {mayRead && <VersionSection />}
          {mayRead && <StateSection />}
          {mayChange && <Settings />}
          {mayRead && <LogSection />}
        </div>
      ) : (
        <NoRight page={t.server.title} rights={['server.telemetry.read', 'server.settings.write']} />
      )}
    </>
  )
}
