import { IconShieldExclamation } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Button, Stack } from '@mantine/core'
import { DisksSection, FactsSection, NetworkSection } from '../../../components/device-facts.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { DeviceHistory } from '../../../features/history/device-history.tsx'
import * as t from '../../../texts.ts'
import { DeviceAlerts } from '../../../features/alerts/device-alerts.tsx'
import { usePageDevice, useTabIsShown } from '../../../hooks/use-page-device.ts'
import { ConsentSection } from './consent-section.tsx'
import { DesktopsSection } from './desktops.tsx'
import { LabelsSection } from './labels.tsx'
import { NotesSection } from './notes-section.tsx'
import { OfflineCard } from './offline-card.tsx'
import classes from './overview.module.css'
import { deviceQueries } from '../../../api/device-queries.ts'
import { visibleName } from '../../../text/visible-name.ts'
import { api } from '../../../api/http.ts'
import { problemText } from '../../../components/problem-alert.tsx'
import { exactTime, moment } from '../../../text/format.ts'
import { useVisit } from './visit.ts'
import { useEffect, useRef } from 'react'
import type { DeviceResponseDto } from '../../../../shared/dtos/device.ts'
import { viewer } from '../../../api/hubs.ts'
import { invalidate } from '../../../api/query-client.ts'

/** Age at which a report is no longer fresh. Several pages ask at different times, and each report starts their wait again. */
const freshMs = 15_000
const spreadMs = 3_000

/** Asks the agent for another report whenever the last one is no longer fresh, while somebody looks at the device. */
function useFreshReports({ id, isOnline, lastSeen }: DeviceResponseDto, isShown: boolean) {
  const asked = useRef('')
  useEffect(() => {
    if (!isOnline || !isShown) {
      return
    }
    const ask = () => {
      if (document.visibilityState === 'visible') {
        void viewer.RefreshDeviceInfo2({ deviceId: id }).catch(() => {})
      }
    }
    // The clock of this computer may be wrong, so an old report is a reason to ask at once a single time.
    if (asked.current !== id && Date.now() - Date.parse(lastSeen) > freshMs) {
      ask()
    }
    asked.current = id
    const timer = setInterval(ask, freshMs + Math.random() * spreadMs)
    document.addEventListener('visibilitychange', ask)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', ask)
    }
  }, [id, isOnline, isShown, lastSeen])
}

/** Reason why the agent rejects the offered update; nothing unless it does. */
function RefusedUpdate() {
  const { device } = usePageDevice()
  const { data } = useQuery(deviceQueries.absence(device.id, 'online'))
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

const texts = t.visit.stranger

/** Warns if the agent of an online device recently met another server at this server's address. */
function StrangerCard() {
  const { device, can } = usePageDevice()
  const { data } = useQuery(deviceQueries.absence(device.id, 'online'))
  const met = data?.evidence.find(({ kind }) => kind === 'wrong-identity')
  const dismiss = useMutation({
    mutationFn: (at: string) => api.devicePages.dismissWrongIdentity({ params: { deviceId: device.id }, body: { at } }),
    onSuccess: () => invalidate(['devices', 'absence', device.id]),
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

/** Updates the agent to the offered version; the head of the page shows the progress. */
function UpdateButton() {
  const { device, can } = usePageDevice()
  const { act, outcome } = useVisit()
  const isUnderWay = outcome?.action === 'update' && outcome.phase !== 'done' && outcome.phase !== 'failed'
  return device.isOnline && can('device.agent.update') ? (
    <Button
      size="compact-sm"
      variant="light"
      loading={isUnderWay}
      title={t.device.updateHint}
      onClick={() => act('update')}
    >
      {t.visit.updateTo}
    </Button>
  ) : undefined
}

/** Problems, load, desktops and facts of a device. */
export default function Overview() {
  const { device, can } = usePageDevice()
  useFreshReports(device, useTabIsShown())
  return (
    <div className={classes.page}>
      <DeviceAlerts deviceId={device.id} />
      {device.isOnline ? <StrangerCard /> : <OfflineCard />}
      {device.isOnline && <RefusedUpdate />}
      {!device.isOnline && (
        <p className="small muted">
          {t.visit.lastReport} <RelativeTime at={device.lastSeen} />.
        </p>
      )}
      <div className={classes.grid} data-old={!device.isOnline || undefined}>
        <Stack gap={16} miw={0}>
          <DeviceHistory device={device} />
          {can('device.remote-control.connect') && <DesktopsSection />}
          <DisksSection device={device} />
        </Stack>
        <Stack gap={16} miw={0}>
          <FactsSection device={device} update={<UpdateButton />} />
          <LabelsSection />
          <ConsentSection />
          {can('device.overview.read') && <NotesSection />}
          <NetworkSection device={device} />
        </Stack>
      </div>
    </div>
  )
}
