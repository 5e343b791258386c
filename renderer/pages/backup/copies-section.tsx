import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { textProps } from '../../components/field-props.ts'
import type { BackupCopyDto } from '../../../shared/dtos/backup.ts'
import { serverQueries } from '../../api/server-queries.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { QueryState } from '../../components/query-state.tsx'
import * as t from '../../texts.ts'
import { byteSize, exactTime } from '../../text/format.ts'
import card from '../../components/card-page.module.css'
import classes from './backup.module.css'
import { api } from '../../api/http.ts'
import { RecoveryKeyField } from '../../components/recovery-key-field.tsx'
import { submitHandler } from '../../components/request-form.tsx'
import { Restarting } from '../../components/restarting.tsx'

function RestoreForm({ copy, onClose }: { copy: BackupCopyDto; onClose: () => void }) {
  const [recoveryKey, setRecoveryKey] = useState('')
  const restore = useMutation({
    mutationFn: () => api.backup.restoreCopy({ body: { path: copy.path, recoveryKey } }),
  })
  if (restore.data) {
    return <Restarting restored={restore.data} />
  }
  return (
    <form onSubmit={submitHandler(() => restore.mutate())}>
      <Stack>
        <Text>{t.backup.restoreHint(exactTime(Date.parse(copy.createdAt ?? '')))}</Text>
        <RecoveryKeyField
          label={`${t.backup.key} ${copy.recoveryKey ?? ''}`}
          data-autofocus
          {...textProps(recoveryKey, setRecoveryKey)}
        />
        {restore.error && <ProblemAlert error={restore.error} />}
        <Group justify="flex-end">
          <span className="small muted" role="status">
            {restore.isPending && t.backup.restoring}
          </span>
          <Button variant="default" onClick={onClose}>
            {t.common.cancel}
          </Button>
          <Button type="submit" color="danger" loading={restore.isPending} disabled={recoveryKey.trim() === ''}>
            {t.backup.restoreSubmit}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Asks for the recovery key of a copy, and puts it in place of the data. */
const RestoreDialog = ({ copy, onClose }: { copy: BackupCopyDto | undefined; onClose: () => void }) => (
  <Modal opened={copy !== undefined} onClose={onClose} title={t.backup.restoreTitle} size="lg">
    {copy && <RestoreForm key={copy.path} copy={copy} onClose={onClose} />}
  </Modal>
)

function Row({ copy, onRestore }: { copy: BackupCopyDto; onRestore: (() => void) | undefined }) {
  const { name, bytes, createdAt, computer, recoveryKey, isOwn } = copy
  return (
    <tr>
      <td>{createdAt === null ? '' : <RelativeTime at={createdAt} />}</td>
      <td className="tabular">{byteSize(bytes)}</td>
      <td className="wrap-anywhere">
        {name}
        {createdAt === null && <div style={{ color: 'var(--danger)' }}>{t.backup.damaged}</div>}
      </td>
      <td>{computer !== null && (isOwn ? computer : `${computer}, ${t.backup.foreign}`)}</td>
      <td className="tabular">{recoveryKey}</td>
      <td>
        {onRestore && createdAt !== null && (
          <Button variant="default" size="compact-sm" onClick={onRestore} aria-label={`${t.backup.restore} ${name}`}>
            {t.backup.restore}
          </Button>
        )}
      </td>
    </tr>
  )
}

/** All copies in the folder, each of which can be restored. */
export function CopiesSection({ mayChange }: { mayChange: boolean }) {
  const query = useQuery(serverQueries.backupCopies)
  const { data: copies, error } = query
  const [chosen, setChosen] = useState<BackupCopyDto>()
  return (
    <section className={`${classes.section} ${card.wide}`} aria-label={t.backup.copies}>
      <h2>{t.backup.copies}</h2>
      {(error || !copies) && <QueryState query={query} height={120} />}
      {copies?.length === 0 && !error && <p className="muted">{t.backup.noCopies}</p>}
      {copies && copies.length > 0 && (
        <div className={card.frame} tabIndex={0} role="region" aria-label={t.backup.copies}>
          <table className={classes.table}>
            <thead>
              <tr>
                <th>{t.backup.when}</th>
                <th>{t.backup.size}</th>
                <th>{t.backup.file}</th>
                <th>{t.backup.computer}</th>
                <th>{t.backup.opensWith}</th>
                <th aria-label={t.backup.restore} />
              </tr>
            </thead>
            <tbody>
              {copies.map((copy) => (
                <Row key={copy.path} copy={copy} onRestore={mayChange ? () => setChosen(copy) : undefined} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <RestoreDialog copy={chosen} onClose={() => setChosen(undefined)} />
    </section>
  )
}
