import { Link } from 'react-router'
import type { AlertDto } from '../../../shared/dtos/alert.ts'
import { RelativeTime } from '../../components/relative-time.tsx'
import { moment } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'
import { AlertButtons } from './alert-buttons.tsx'
import { alertIcons } from './alert-mark.tsx'
import classes from './alerts.module.css'

/** Address of an alert on the page of all alerts. */
export const alertAddress = (alertId: string) => `/alerts?${new URLSearchParams({ open: alertId }).toString()}`

/** Sentence about the person who takes care of an alert; empty for nobody. */
export const takenBy = (alert: AlertDto) => visibleName(t.alerts.by(alert, (at) => moment(Date.parse(at))))

interface AlertCardsProps {
  label: string
  alerts: readonly AlertDto[]
  /** Called when a link to an alert is followed. */
  onOpen?: () => void
}

/** Alerts with what is known about them, who takes care, and the buttons. */
export const AlertCards = ({ label, alerts, onOpen }: AlertCardsProps) => (
  <ul className={classes.list} aria-label={label}>
    {alerts.map((alert) => {
      const { id, title, lines, state, openedAt } = alert
      const Sign = alertIcons[state]
      const by = takenBy(alert)
      return (
        <li key={id} className={classes.card} data-state={state}>
          <Sign size={18} stroke={1.6} role="img" aria-label={t.alerts.states[state]} />
          <div className={classes.words}>
            <Link to={alertAddress(id)} onClick={onOpen}>
              {visibleName(title)}
            </Link>
            {lines[0] !== undefined && <span className="small">{visibleName(lines[0])}</span>}
            <span className="small muted">
              <RelativeTime at={openedAt} />
              {by && ` · ${by}`}
            </span>
          </div>
          <AlertButtons alert={alert} />
        </li>
      )
    })}
  </ul>
)
