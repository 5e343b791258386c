import { useMutation } from '@tanstack/react-query'
import type { BackupDto } from '../../../shared/dtos/backup.ts'
import { serverQueries } from '../../api/server-queries.ts'
import { invalidate, queryClient } from '../../api/query-client.ts'

/** A change that answers with the state of backups, which the page then shows. */
export function useBackupChange<Input = void>(work: (input: Input) => Promise<BackupDto>, onDone?: () => void) {
  return useMutation({
    scope: { id: 'backup' },
    mutationFn: work,
    onSuccess: (state) => {
      queryClient.setQueryData(serverQueries.backup.queryKey, state)
      onDone?.()
    },
    onSettled: async () => {
      await invalidate(serverQueries.backup.queryKey, serverQueries.backupCopies.queryKey)
    },
  })
}
