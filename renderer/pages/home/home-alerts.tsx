import { TextLink } from '../../components/links.tsx'
import { AlertCards } from '../../features/alerts/alert-cards.tsx'
import type { AlertDto } from '../../../shared/dtos/alert.ts'
import * as t from '../../texts.ts'
import classes from './home.module.css'

const shownAlerts = 5

/** Newest alerts that somebody takes care of, or should; nothing without any. */
export const HomeAlerts = ({ alerts }: { alerts: readonly AlertDto[] }) =>
  alerts.length > 0 && (
    <section className={classes.section} aria-labelledby="home-alerts">
      <h2 id="home-alerts">{t.alerts.title}</h2>
      <AlertCards label={t.alerts.title} alerts={alerts.slice(0, shownAlerts)} />
      <TextLink to="/alerts">{t.alerts.all}</TextLink>
    </section>
  )
