import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Moment } from '../../components/moment.tsx'
import { TextLink } from '../../components/links.tsx'
import type { AlertDto } from '../../../shared/dtos/alert.ts'
import { alertQueries } from '../../api/alert-queries.ts'
import { statusOf } from '../../api/http.ts'
import { deviceAddress } from '../../components/device-tabs.ts'
import { PaneSection, SidePane } from '../../components/list-kit/side-pane.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { AlertButtons } from '../../features/alerts/alert-buttons.tsx'
import { AlertMark } from '../../features/alerts/alert-mark.tsx'
import { moment } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'
import rows from '../../components/pane-rows.module.css'
import classes from './alerts.module.css'

const momentOf = (at: string) => moment(Date.parse(at))

const nameOf = (name: string | null) => (name === null ? null : visibleName(name))

/** Events of an alert, in the order in which they happened. */
function History({ alert }: { alert: AlertDto }) {
  const { openedAt, acknowledgedAt, acknowledgedBy, snoozedUntil, snoozedBy, closedAt, closedBecause } = alert
  const steps: [name: string, at: string | null, text: ReactNode][] = [
    [
      'opened',
      openedAt,
      <>
        {t.alertPages.wasOpened}. <span className="muted">{t.alertPages.told(alert.told.map(visibleName))}</span>
      </>,
    ],
    ['acknowledged', acknowledgedAt, t.alertPages.wasAcknowledged(nameOf(acknowledgedBy))],
    ['closed', closedAt, closedBecause && t.alertPages.closed[closedBecause]],
  ]
  return (
    <>
      <ul className={classes.history}>
        {steps
          .flatMap(([name, at, text]) => (at === null ? [] : [{ name, at, text }]))
          .toSorted((a, b) => a.at.localeCompare(b.at))
          .map(({ name, at, text }) => (
            <li key={name}>
              <Moment at={at} />
              <span>{text}</span>
            </li>
          ))}
      </ul>
      {snoozedUntil !== null && <p>{t.alertPages.wasSnoozed(nameOf(snoozedBy), momentOf(snoozedUntil))}</p>}
      {alert.goneCount > 0 && <p>{t.alertPages.gone(alert)}</p>}
    </>
  )
}

function DeviceRows({ alert: { devices, deviceCount } }: { alert: AlertDto }) {
  return (
    <ul className={rows.list} aria-label={t.alertPages.devices}>
      {devices.map(({ id, name, customerName, since, goneAt, detail }) => (
        <li key={id} className={classes.device} data-gone={goneAt !== null || undefined}>
          <span className={rows.text}>
            <TextLink to={deviceAddress(id)}>
              <bdi>{visibleName(name)}</bdi>
            </TextLink>
            {customerName !== null && <span className="small muted">{visibleName(customerName)}</span>}
            {detail !== null && <span className="small">{visibleName(detail)}</span>}
          </span>
          <span className="small muted tabular">
            {goneAt === null ? t.alertPages.sinceTime(momentOf(since)) : t.alertPages.goneAt(momentOf(goneAt))}
          </span>
        </li>
      ))}
      {deviceCount > devices.length && (
        <li className="muted tabular">{t.alertPages.moreDevices(deviceCount - devices.length)}</li>
      )}
    </ul>
  )
}

function Details({ alert }: { alert: AlertDto }) {
  const { kind, lines, ruleName, path, devices } = alert
  const isOneDevice = devices.length === 1 && path === deviceAddress(devices[0]!.id)
  return (
    <>
      {lines.length > 0 && (
        <ul className={classes.lines}>
          {lines.map((line) => (
            <li key={line}>{visibleName(line)}</li>
          ))}
        </ul>
      )}
      <div className={classes.actions}>
        <AlertButtons alert={alert} size="sm" />
      </div>
      {!path.startsWith('/alerts') && (
        <TextLink to={path}>{isOneDevice ? t.alertPages.openDevice : t.alertPages.openPage}</TextLink>
      )}
      <PaneSection
        title={t.alertPages.since}
        hint={kind === 'watched' ? t.alertPages.watched : ruleName !== null && t.alertPages.rule(visibleName(ruleName))}
      >
        <History alert={alert} />
      </PaneSection>
      {devices.length > 0 && (
        <PaneSection title={t.alertPages.devices}>
          <DeviceRows alert={alert} />
        </PaneSection>
      )}
    </>
  )
}

interface AlertPaneProps {
  alertId: string
  /** The alert as the list has it. */
  listed: AlertDto | undefined
  onClose: () => void
}

/** Side pane of an alert: what is known, who takes care, what has happened since, its devices. */
export function AlertPane({ alertId, listed, onClose }: AlertPaneProps) {
  const query = useQuery({ ...alertQueries.one(alertId), placeholderData: listed })
  const { data: alert, error } = query
  const isGone = statusOf(error) === 404
  return (
    <SidePane
      title={alert ? visibleName(alert.title) : t.alertPages.alert}
      marks={alert && <AlertMark state={alert.state} />}
      onClose={onClose}
    >
      {!alert && (isGone ? <p>{t.alertPages.notFound}</p> : <QueryState query={query} height={240} />)}
      {alert && <Details alert={alert} />}
    </SidePane>
  )
}
