import { Button } from '@mantine/core'
import { IconShieldExclamation } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../../api/http.ts'
import { queries } from '../../../api/queries.ts'
import { problemText } from '../../../components/problem-alert.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { en as t } from '../../../strings/en.ts'
import { exactTime, moment } from '../../../strings/format.ts'
import { usePageDevice } from '../../../hooks/use-page-device.ts'
import classes from './overview.module.css'

const texts = t.visit.stranger

/** Warns if the agent of an online device recently met another server at this server's address. */
export function StrangerCard() {
  const { device, can } = usePageDevice()
  const client = useQueryClient()
  const { data } = useQuery(queries.deviceAbsence(device.id, 'online'))
  const met = data?.evidence.find(({ kind }) => kind === 'wrong-identity')
  const dismiss = useMutation({
    mutationFn: (at: string) => api.devicePages.dismissWrongIdentity({ params: { deviceId: device.id }, body: { at } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['devices', 'absence', device.id] }),
  })
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
        {dismiss.error && <p role="alert">{problemText(dismiss.error)}</p>}
        {can('device.alias.write') && (
          <div className={classes.dismiss}>
            <Button
              variant="default"
              size="xs"
              loading={dismiss.isPending}
              onClick={() => dismiss.mutate(met.at, { onSuccess: () => document.getElementById('page')?.focus() })}
            >
              {t.visit.dismiss}
            </Button>
            <span className="small">{texts.dismissHint}</span>
          </div>
        )}
      </div>
    </section>
  )
}
