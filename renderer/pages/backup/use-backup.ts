import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { BackupDto } from '../../../shared/dtos/backup.ts'
import { serverQueries } from '../../api/server-queries.ts'

/** A change that answers with the state of backups, which the page then shows. */
export function useBackupChange<Input = void>(work: (input: Input) => Promise<BackupDto>, onDone?: () => void) {
  const client = useQueryClient()
  return useMutation({
    scope: { id: 'backup' },
    mutationFn: work,
    onSuccess: (state) => {
      client.setQueryData(serverQueries.backup.queryKey, state)
      onDone?.()
    },
    onSettled: async () => {
      await Promise.all([
        client.invalidateQueries({ queryKey: serverQueries.backup.queryKey }),
        client.invalidateQueries({ queryKey: serverQueries.backupCopies.queryKey }),
      ])
    },
  })
}
