import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconPlayerStop, IconRefresh, IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { BatchDto, BatchResultDto } from '../../../shared/dtos/batch.ts'
import { api } from '../../api/http.ts'
import { batchQueries } from '../../api/batch-queries.ts'
import { invalidate, queryClient } from '../../api/query-client.ts'
import { repeatable } from '../../components/batch-kinds.ts'
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
  const forget = useMutation({
    mutationFn: () => api.batches.delete({ params }),
    onSuccess: async () => {
      await navigate('/batches', { replace: true })
      queryClient.removeQueries({ queryKey: batchQueries.batch(batch.id).queryKey })
      await refresh()
    },
  })
  return { cancel, repeat, forget }
}

/** Buttons to stop a running batch, to retry the failed devices of a finished one, and to delete it. */
export function BatchActions({ batch, results }: { batch: BatchDto; results: readonly BatchResultDto[] }) {
  const [isForgetting, setIsForgetting] = useState(false)
  const failed = results.filter(({ state }) => repeatable.has(state)).map(({ deviceId }) => deviceId)
  const { cancel, repeat, forget } = useBatchRequests(batch, failed)
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
            <Button
              variant="subtle"
              color="gray"
              leftSection={<IconTrash size={16} stroke={1.6} />}
              onClick={() => setIsForgetting(true)}
            >
              {t.common.delete}
            </Button>
          </>
        )}
      </Group>
      {error && <ProblemAlert error={error} />}
      <Modal opened={isForgetting} onClose={() => setIsForgetting(false)} title={t.batches.forgetTitle}>
        <Stack>
          <Text>{t.batches.forgetHint}</Text>
          {forget.error && <ProblemAlert error={forget.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setIsForgetting(false)} data-autofocus>
              {t.common.cancel}
            </Button>
            <Button color="danger" loading={forget.isPending} onClick={() => forget.mutate()}>
              {t.batches.forgetConfirm}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Stack>
  )
}
