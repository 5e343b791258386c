import { IconShieldExclamation } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { queries } from '../../../api/queries.ts'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { en as t } from '../../../strings/en.ts'
import { exactTime, moment } from '../../../strings/format.ts'
import { usePageDevice } from '../page-device.ts'
import classes from './overview.module.css'

const texts = t.visit.stranger

/** What the agent of an online device met in place of this server of late; nothing where it met nothing. */
export function StrangerCard() {
  const { device } = usePageDevice()
  const { data } = useQuery(queries.deviceAbsence(device.id, 'online'))
  const met = data?.evidence.find(({ kind }) => kind === 'wrong-identity')
  if (!met) {
    return null
  }
  const at = Date.parse(met.at)
  return (
    <section className={classes.card} aria-label={texts.title}>
      <IconShieldExclamation size={22} stroke={1.6} aria-hidden className={classes.cardIcon} />
      <div className={classes.cardText}>
        <h2>{texts.title}</h2>
        <p className="muted" title={exactTime(at)}>
          {moment(at)} (<RelativeTime at={met.at} />)
        </p>
        <p>{texts.seen(met.detail)}</p>
        <p>{texts.hint}</p>
      </div>
    </section>
  )
}
