import { IconShieldExclamation } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { queries } from '../../../api/queries.ts'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { usePageDevice } from '../../../hooks/use-page-device.ts'
import { en as t } from '../../../strings/en.ts'
import { visibleName } from '../../../strings/visible-name.ts'
import classes from './overview.module.css'

/** Reason why the agent rejects the offered update; nothing unless it does. */
export function RefusedUpdate() {
  const { device } = usePageDevice()
  const { data } = useQuery(queries.deviceAbsence(device.id, 'online'))
  const refusal = data?.evidence.find(({ kind }) => kind === 'update-refused')
  return (
    refusal && (
      <section className={classes.card} aria-label={t.visit.updateRefused}>
        <IconShieldExclamation size={22} stroke={1.6} aria-hidden className={classes.cardIcon} />
        <div className={classes.cardText}>
          <h2>{t.visit.updateRefused}</h2>
          <p>
            {visibleName(refusal.detail)}{' '}
            <span className="muted">
              (<RelativeTime at={refusal.at} />)
            </span>
          </p>
        </div>
      </section>
    )
  )
}
