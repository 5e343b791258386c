import { Button, Group, Stack } from '@mantine/core'
import { IconPlayerStop, IconRefresh, IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import type { BatchDto, BatchResultDto } from '../../../shared/dtos/batch.ts'
import { api } from '../../api/http.ts'
import { batchQueries } from '../../api/batch-queries.ts'
import { invalidate, queryClient } from '../../api/query-client.ts'
import { repeatable } from '../../components/batch-kinds.ts'
import { AskButton } from '../../components/list-kit/dialogs.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import * as t from '../../texts.ts'

const repeated = ({ files, folder, overwrite }: NonNullable<BatchDto['delivery']>) => ({
  fileIds: files.map(({ id }) => id),
  overwrite,
  ...(folder !== null && { folder }),
})

/** Requests that change a batch. `failed`: devices to repeat it with. */
function useBatchRequests(batch: BatchDto, failed: string[]) {
  const navigate = useNavigate()
  const params = { batchId: batch.id }
  const refresh = () => invalidate(batchQueries.batches.queryKey)

  const cancel = useMutation({
    mutationFn: (endRunning: boolean) => api.batches.cancel({ params, body: { endRunning } }),
    onSuccess: refresh,
  })
  const repeat = useMutation({
    mutationFn: () =>
      api.batches.start({
        body: {
          kind: batch.kind,
          deviceIds: failed,
          ...(batch.command !== null && { command: batch.command }),
          ...(batch.timeLimitSeconds !== null && { timeLimitSeconds: batch.timeLimitSeconds }),
          ...(batch.tagId !== null && { tagId: batch.tagId }),
          ...(batch.power !== null && { power: batch.power }),
          ...(batch.delivery && { delivery: repeated(batch.delivery) }),
        },
      }),
    onSuccess: async ({ id }) => {
      await refresh()
      await navigate(`/batches/${id}`)
    },
  })
  const forget = () => api.batches.delete({ params })
  const leave = async () => {
    await navigate('/batches', { replace: true })
    queryClient.removeQueries({ queryKey: batchQueries.batch(batch.id).queryKey })
    await refresh()
  }
  return { cancel, repeat, forget, leave }
}

/** Buttons to stop a running batch, to retry the failed devices of a finished one, and to delete it. */
export function BatchActions({ batch, results }: { batch: BatchDto; results: readonly BatchResultDto[] }) {
  const failed = results.filter(({ state }) => repeatable.has(state)).map(({ deviceId }) => deviceId)
  const { cancel, repeat, forget, leave } = useBatchRequests(batch, failed)
  const error = cancel.error ?? repeat.error
  return (
    <Stack gap={8} align="flex-end">
      <Group gap={8}>
        {batch.finishedAt === null ? (
          <>
            {batch.counts.waiting > 0 && (
              <Button
                variant="default"
                leftSection={<IconPlayerStop size={16} stroke={1.6} />}
                loading={cancel.isPending && !cancel.variables}
                onClick={() => cancel.mutate(false)}
              >
                {t.batches.cancelWaiting}
              </Button>
            )}
            {(batch.kind === 'run-command' || batch.kind === 'send-files') && (
              <Button
                variant="light"
                color="danger"
                leftSection={<IconPlayerStop size={16} stroke={1.6} />}
                loading={cancel.isPending && cancel.variables}
                onClick={() => cancel.mutate(true)}
              >
                {batch.kind === 'send-files' ? t.batches.endSending : t.batches.endRunning}
              </Button>
            )}
          </>
        ) : (
          <>
            {failed.length > 0 && (
              <Button
                variant="default"
                title={t.batches.repeatHint}
                leftSection={<IconRefresh size={16} stroke={1.6} />}
                loading={repeat.isPending}
                onClick={() => repeat.mutate()}
              >
                {t.batches.repeat(failed.length)}
              </Button>
            )}
            <AskButton
              label={t.common.delete}
              title={t.batches.forgetTitle}
              confirm={t.batches.forgetConfirm}
              button={{ variant: 'subtle', color: 'gray', leftSection: <IconTrash size={16} stroke={1.6} /> }}
              onConfirm={forget}
              onConfirmed={() => void leave()}
            >
              {t.batches.forgetHint}
            </AskButton>
          </>
        )}
      </Group>
      {error && <ProblemAlert error={error} />}
    </Stack>
  )
}
