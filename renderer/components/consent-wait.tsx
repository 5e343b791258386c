import { Loader } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { consentSeconds, type ConsentSubject } from '../../shared/dtos/consent.ts'
import { consentQueries } from '../api/consent-queries.ts'
import { useIsLate } from '../hooks/use-is-late.ts'
import * as t from '../texts.ts'
import { nameOfDevice } from '../text/name-of-device.ts'
import { visibleName } from '../text/visible-name.ts'
import classes from './consent-wait.module.css'

/** Seconds since a time, updated every second. */
function useSecondsSince(since: number) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return Math.max(0, Math.floor((now - since) / 1000))
}

interface ConsentLinesProps {
  device: { id: string; name: string; alias: string | null }
  subject: ConsentSubject
  since: number
}

/** Lines about a question: device, seconds left, and the policies that ask. */
export function ConsentLines({ device, subject, since }: ConsentLinesProps) {
  const { data } = useQuery(consentQueries.device(device.id))
  const left = consentSeconds - useSecondsSince(since)
  const policies = data?.rules[subject].policies ?? []
  return (
    <>
      <h2>{t.consent.asking(nameOfDevice(device))}</h2>
      {left > 0 && <p className="muted">{t.consent.left(left)}</p>}
      {policies.length > 0 && <p className="small muted">{t.consent.policy(policies.map(visibleName))}</p>}
    </>
  )
}

/** Notice while the person at a device is asked; nothing where nobody is. */
export function ConsentWait({ device, subject }: Omit<ConsentLinesProps, 'since'>) {
  const [since] = useState(Date.now)
  const { data } = useQuery(consentQueries.device(device.id))
  const isLate = useIsLate(true)
  return (
    isLate &&
    data?.rules[subject].asksNow && (
      <div className={classes.wait} role="status">
        <Loader size="sm" />
        <ConsentLines device={device} subject={subject} since={since} />
      </div>
    )
  )
}
