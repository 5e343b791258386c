import { IconDevices } from '@tabler/icons-react'
import { ButtonLink, TextLink } from '../../components/links.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { useSession } from '../../hooks/use-session.ts'
import { moment } from '../../text/format.ts'
import * as t from '../../texts.ts'
import { ChangesSection } from './changes-section.tsx'
import { FleetSection } from './fleet-section.tsx'
import { NeedsAttention } from './needs-attention.tsx'
import classes from './home.module.css'
import { OwnSessions } from './own-sessions.tsx'
import { RecentDevices } from './recent-devices.tsx'
import { useHome } from './use-home.ts'
import { AlertCards } from '../../features/alerts/alert-cards.tsx'
import type { AlertDto } from '../../../shared/dtos/alert.ts'

const shownAlerts = 5

/** Newest alerts that somebody takes care of, or should; nothing without any. */
const HomeAlerts = ({ alerts }: { alerts: readonly AlertDto[] }) =>
  alerts.length > 0 && (
    <section className={classes.section} aria-labelledby="home-alerts">
      <h2 id="home-alerts">{t.alerts.title}</h2>
      <AlertCards label={t.alerts.title} alerts={alerts.slice(0, shownAlerts)} />
      <TextLink to="/alerts">{t.alerts.all}</TextLink>
    </section>
  )

/** Leads to the first device. */
function FirstDevice() {
  const { can } = useSession()
  return can('agent.install') ? (
    <EmptyState icon={IconDevices} title={t.home.firstTitle} hint={t.home.firstHint}>
      <ButtonLink to="/deploy">{t.home.firstAction}</ButtonLink>
    </EmptyState>
  ) : (
    <EmptyState icon={IconDevices} title={t.home.noneTitle} hint={t.home.noneHint} />
  )
}

/** Start page: what needs a hand, the person's sessions and recent devices, and the fleet at a glance. */
export function Component() {
  usePageTitle(t.home.title)
  const { fleet, server, signIns, newest, areFindingsReady, isReady } = useHome()
  const alerts = newest.data?.filter(({ state }) => state !== 'snoozed') ?? []
  const parts = [fleet, server, signIns, newest].filter(({ isEnabled }) => isEnabled)
  const found =
    (fleet.data?.findings.length ?? 0) +
    (server.data?.findings.length ?? 0) +
    (signIns.data?.items.length ?? 0) +
    alerts.length
  const checkedAt = fleet.data && moment(Date.parse(fleet.data.checkedAt))
  const isWhole = parts.every(({ data }) => data !== undefined)
  const isPartial = parts.some(({ isError }) => isError)
  const state =
    checkedAt === undefined || (!isWhole && !isPartial)
      ? t.home.checking
      : found > 0 || isPartial
        ? t.home.found(found, checkedAt)
        : fleet.data?.total === 0
          ? t.home.noDevices(checkedAt)
          : t.home.well(checkedAt)
  return (
    <>
      <PageHead
        title={t.home.title}
        intro={<span role="status">{isPartial ? `${state} ${t.home.partly}` : state}</span>}
      />
      <div className={classes.page}>
        {areFindingsReady && fleet.data && (
          <>
            {fleet.data.total === 0 && <FirstDevice />}
            <HomeAlerts alerts={alerts} />
            <NeedsAttention
              fleet={fleet.data}
              server={server.data?.findings ?? []}
              signIns={signIns.data?.items ?? []}
              checkedAt={isWhole && fleet.data.total > 0 && alerts.length === 0 ? checkedAt : undefined}
            />
          </>
        )}
        {isReady && fleet.data ? (
          <>
            <OwnSessions />
            <ChangesSection />
            <RecentDevices />
            {fleet.data.total > 0 && <FleetSection fleet={fleet.data} />}
          </>
        ) : (
          <QueryState query={{ ...fleet, isPending: !isReady }} height={320} />
        )}
      </div>
    </>
  )
}
