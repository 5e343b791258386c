import * as t from '../../texts.ts'
import { AlertCards } from './alert-cards.tsx'
import { useAlertsOf } from './use-alerts.ts'
import classes from './alerts.module.css'

/** Active alerts about a device; nothing without any. */
export function DeviceAlerts({ deviceId }: { deviceId: string }) {
  const alerts = useAlertsOf(deviceId)
  return (
    alerts.length > 0 && (
      <section className={classes.section} aria-label={t.alerts.ofDevice}>
        <AlertCards label={t.alerts.ofDevice} alerts={alerts} />
      </section>
    )
  )
}
