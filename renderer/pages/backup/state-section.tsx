import { Alert, Button } from '@mantine/core'
import type { ReactNode } from 'react'
import type { BackupDto } from '../../../shared/dtos/backup.ts'
import { api } from '../../api/http.ts'
import { Fact } from '../../components/fact.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import * as t from '../../texts.ts'
import { byteSize } from '../../text/format.ts'
import card from '../../components/card-page.module.css'
import classes from './backup.module.css'
import { useBackupChange } from './use-backup.ts'

/** Result of the last rehearsal, in a sentence. */
function Rehearsed({ rehearsal }: Pick<BackupDto, 'rehearsal'>) {
  if (!rehearsal) {
    return t.backup.notRehearsed
  }
  const { at, problem, counts } = rehearsal
  if (problem !== null || !counts) {
    return <span style={{ color: 'var(--danger)' }}>{t.backup.notRestorable(problem ?? '')}</span>
  }
  return (
    <>
      {t.backup.rehearsed} <RelativeTime at={at} />
      {`: ${t.backup.rehearsedCounts(counts.people, counts.devices, counts.organizations)}`}
    </>
  )
}

/** Age, size and place of the newest copy, and whether it can be restored. */
export function StateSection({ backup, mayChange }: { backup: BackupDto; mayChange: boolean }) {
  const { newest, rehearsal, failure, isOld, recoveryKey, settings } = backup
  const make = useBackupChange(() => api.backup.make({}))
  const rehearse = useBackupChange(() => api.backup.rehearse({}))
  const lacks = recoveryKey === null ? t.backup.needsKey : settings.folder === null ? t.backup.needsFolder : undefined
  const rows: [label: string, value: ReactNode][] = newest
    ? [
        [t.backup.newest, <RelativeTime key="at" at={newest.at} />],
        [t.backup.size, byteSize(newest.bytes)],
        [t.backup.file, newest.path],
        [t.backup.rehearsal, <Rehearsed key="rehearsed" rehearsal={rehearsal} />],
      ]
    : [[t.backup.newest, t.backup.none]]
  const isBusy = make.isPending || rehearse.isPending
  return (
    <section className={`${classes.section} ${card.wide}`} aria-label={t.common.state}>
      <h2>{t.common.state}</h2>
      {isOld && (
        <Alert color="warning" mt="sm">
          {t.backup.old}
        </Alert>
      )}
      {failure && (
        <Alert color="danger" mt="sm" role="alert">
          {t.backup.failed(failure.reason)}
        </Alert>
      )}
      <dl className={card.facts}>
        {rows.map(([label, value]) => (
          <Fact key={label} label={label} className="tabular">
            {value}
          </Fact>
        ))}
      </dl>
      {make.error && !failure && <ProblemAlert error={make.error} />}
      {rehearse.error && <ProblemAlert error={rehearse.error} />}
      {mayChange && (
        <div className={card.actions}>
          <Button loading={make.isPending} disabled={lacks !== undefined || isBusy} onClick={() => make.mutate()}>
            {t.backup.make}
          </Button>
          {newest && (
            <Button variant="default" loading={rehearse.isPending} disabled={isBusy} onClick={() => rehearse.mutate()}>
              {t.backup.rehearse}
            </Button>
          )}
          <span className="small muted" role="status">
            {make.isPending ? t.backup.making : rehearse.isPending ? t.backup.checking : lacks}
          </span>
        </div>
      )}
    </section>
  )
}
