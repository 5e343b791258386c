import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { BackupCopyDto } from '../../../shared/dtos/backup.ts'
import { api } from '../../api/http.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { RecoveryKeyField } from '../../components/recovery-key-field.tsx'
import { submitHandler } from '../../components/request-form.tsx'
import { Restarting } from '../../components/restarting.tsx'
import { en as t } from '../../strings/en.ts'
import { exactTime } from '../../strings/format.ts'

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
          value={recoveryKey}
          onChange={(event) => setRecoveryKey(event.currentTarget.value)}
        />
        {restore.error && <ProblemAlert error={restore.error} />}
        <Group justify="flex-end">
          <span className="small muted" role="status">
            {restore.isPending && t.backup.restoring}
          </span>
          <Button variant="default" onClick={onClose}>
            {t.backup.cancel}
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
export const RestoreDialog = ({ copy, onClose }: { copy: BackupCopyDto | undefined; onClose: () => void }) => (
  <Modal opened={copy !== undefined} onClose={onClose} title={t.backup.restoreTitle} size="lg">
    {copy && <RestoreForm key={copy.path} copy={copy} onClose={onClose} />}
  </Modal>
)
