import { Alert, Loader } from '@mantine/core'
import { useEffect } from 'react'
import type { RestoredDto } from '../../shared/dtos/backup.ts'
import { api } from '../api/http.ts'
import * as t from '../texts.ts'

const pollMs = 1_000
/** The server stops within this time of its answer. */
const stopsWithinMs = 3_000

/** After a restore: waits for the restarted server, then opens its sign-in page. */
export function Restarting({ restored: { restarts, counts } }: { restored: RestoredDto }) {
  useEffect(() => {
    if (!restarts) {
      return undefined
    }
    const begun = Date.now()
    const timer = setInterval(() => {
      if (Date.now() - begun > stopsWithinMs) {
        api.session.registration({}).then(
          ({ isFirst }) => !isFirst && location.assign('/sign-in'),
          () => undefined,
        )
      }
    }, pollMs)
    return () => clearInterval(timer)
  }, [restarts])
  return (
    <Alert color="accent" title={t.backup.restored} role="status" icon={restarts && <Loader size={18} />}>
      {t.backup.rehearsedCounts(counts.people, counts.devices, counts.organizations)}.{' '}
      {restarts ? t.backup.restarting : t.backup.restartIt}
    </Alert>
  )
}
