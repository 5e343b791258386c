import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useLocation } from 'react-router'
import { ButtonLink } from '../components/links.tsx'
import type { GuestDto } from '../../shared/api/appliance-entry.ts'
import type { PermissionName } from '../../shared/access.ts'
import { permissionTexts } from '../../shared/permission-texts.ts'
import { deviceQueries } from '../api/device-queries.ts'
import { sessionQueries } from '../api/session-queries.ts'
import { serverQueries } from '../api/server-queries.ts'
import { RelativeTime } from '../components/relative-time.tsx'
import { ServerNoticeLine } from '../components/server-notice-line.tsx'
import { useFirstSteps } from '../hooks/use-first-steps.ts'
import { useNow } from '../hooks/use-now.ts'
import { useSession } from '../hooks/use-session.ts'
import { calendarDay, moment } from '../text/format.ts'
import * as t from '../texts.ts'
import classes from './notices.module.css'

interface LineProps {
  label: string
  text: ReactNode
  children?: ReactNode
}

/** Line above every page, with buttons. */
const Line = ({ label, text, children }: LineProps) => (
  <section className={classes.notices} aria-label={label}>
    <ul>
      <li>{text}</li>
    </ul>
    {children}
  </section>
)

interface AlarmProps {
  label: string
  message: string
  severity: 1 | 2
}

const Alarm = ({ label, message, severity }: AlarmProps) => (
  <section role="status" aria-label={label} style={{ flex: 'none' }}>
    <ServerNoticeLine message={message} severity={severity} />
  </section>
)

const severities = { low: 1, damaged: 2 } as const

/** Warns everybody while the server removes its agents. */
export function DecommissionLine() {
  const { data } = useQuery(serverQueries.decommission)
  const texts = t.decommission
  return data?.isEnabled ? <Alarm label={texts.title} message={texts.banner} severity={2} /> : null
}

/** Warns everybody while the server cannot store what is sent to it. */
export function StorageLine() {
  const { data } = useQuery(serverQueries.status)
  if (!data || data.storage === 'ok') {
    return null
  }
  const texts = t.storageNotice
  return <Alarm label={texts.title} message={texts[data.storage]} severity={severities[data.storage]} />
}

/** Warns everybody while this server cannot exchange messages with the others of its database. */
export function ServersLine() {
  const { data } = useQuery(serverQueries.status)
  return data?.isApart ? <Alarm label={t.serversNotice.title} message={t.serversNotice.apart} severity={1} /> : null
}

/** Announces the date from which the person needs a second factor, until one is set up. */
export function SecondFactorLine() {
  const { pathname } = useLocation()
  const missing = useQuery(sessionQueries.session).data?.missingSecondFactor
  if (!missing || pathname === '/account') {
    return null
  }
  const day = calendarDay(Date.parse(missing.requiredFrom))
  return (
    <Line label={t.secondFactor.title} text={t.secondFactor.announced(day)}>
      <ButtonLink to="/account#two-factor" size="xs">
        {t.secondFactor.setUp}
      </ButtonLink>
    </Line>
  )
}

/** Warns administrators while no backup was made for two days, with the age of the newest. */
export function BackupLine() {
  const { can } = useSession()
  const { pathname } = useLocation()
  const { data } = useQuery({ ...serverQueries.backup, enabled: can('server.telemetry.read') })
  if (!data?.isOld || pathname === '/backup') {
    return null
  }
  const age = data.newest && (
    <>
      {t.backup.oldSince} <RelativeTime at={data.newest.at} />.
    </>
  )
  return (
    <Line label={t.backup.title} text={age ?? t.backup.never}>
      <ButtonLink to="/backup" size="xs">
        {t.backup.open}
      </ButtonLink>
    </Line>
  )
}

function Guest({ guest: { displayName, deviceId, desktopSessionIds, expiresAt } }: { guest: GuestDto }) {
  const now = useNow()
  const { data: permissions } = useQuery(deviceQueries.permissions(deviceId))
  const allowed = [...(permissions ?? [])].map((name) => permissionTexts[name as PermissionName].displayName)
  const ends = Date.parse(expiresAt)
  return (
    <section className={classes.notices} aria-label={t.guest.label}>
      <ul>
        <li>
          {t.guest.who(displayName)} {t.guest.ends(moment(ends, now), Math.max(0, Math.floor((ends - now) / 60_000)))}
        </li>
        {allowed.length > 0 && (
          <li>
            {t.guest.allowed(allowed.join(', '))} {desktopSessionIds && t.guest.desktops(desktopSessionIds.length)}
          </li>
        )}
      </ul>
    </section>
  )
}

/** Tells a guest of a link who they are here, what they may do, and until when. */
export function GuestLine() {
  const { data: guest } = useQuery(sessionQueries.guest)
  return guest ? <Guest guest={guest} /> : null
}

/** Leads back to the first steps, until they are finished or skipped. */
export function FirstStepsLine() {
  const { pathname } = useLocation()
  const { steps, at, goTo } = useFirstSteps()
  if (at === undefined || pathname === '/first-steps') {
    return null
  }
  return (
    <Line label={t.firstSteps.title} text={t.firstSteps.reminder(at + 1, steps.length)}>
      <Group gap="xs">
        <ButtonLink to="/first-steps" size="xs">
          {t.firstSteps.goOn}
        </ButtonLink>
        <Button variant="default" size="xs" onClick={() => void goTo(undefined)}>
          {t.firstSteps.end}
        </Button>
      </Group>
    </Line>
  )
}
