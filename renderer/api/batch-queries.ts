import { api } from './http.ts'
import { query } from './query-client.ts'

/** Polling interval of a running job. */
const batchMs = 1_000

/** Bulk actions with their results. */
export const batchQueries = {
  batches: query(['batches'], async (signal) => (await api.batches.list({}, signal)).items),
  batch: (batchId: string) =>
    query(['batches', batchId], (signal) => api.batches.get({ params: { batchId } }, signal), {
      // Polls while the job runs.
      refetchInterval: ({ state }) => (state.data && state.data.batch.finishedAt === null ? batchMs : false),
    }),
  output: (batchId: string, deviceId: string) =>
    query(['batches', batchId, deviceId], (signal) => api.batches.output({ params: { batchId, deviceId } }, signal), {
      staleTime: Infinity,
    }),
}
