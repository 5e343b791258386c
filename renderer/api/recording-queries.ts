import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { applianceRecordings, type RecordingSearch } from '../../shared/api/appliance-recordings.ts'
import { buildUrl } from '../../shared/contract/client.ts'
import { api, openBody, statusOf } from './http.ts'

const pageSize = 50
/** A recording ends by itself when nothing more can be stored. */
const refreshMs = 5_000

export const recordingQueries = {
  all: ['recordings'],
  list: (tenantId: string, filters: Pick<RecordingSearch, 'deviceId' | 'kind'>) =>
    infiniteQueryOptions({
      queryKey: ['recordings', tenantId, filters],
      queryFn: ({ pageParam, signal }) =>
        api.recordings.list({ tenantId, query: { ...filters, before: pageParam, limit: pageSize } }, signal),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ items, hasMore }) => (hasMore ? items.at(-1)?.startedAt : undefined),
      placeholderData: keepPreviousData,
    }),
  one: (tenantId: string, recordingId: string) =>
    queryOptions({
      queryKey: ['recordings', tenantId, 'one', recordingId],
      queryFn: ({ signal }) => api.recordings.get({ tenantId, params: { recordingId } }, signal),
    }),
  policies: (tenantId: string) =>
    queryOptions({
      queryKey: ['recording-policies', tenantId],
      queryFn: async ({ signal }) => (await api.recordings.policies({ tenantId }, signal)).items,
    }),
  /** Recording of an own session; null where nothing may be recorded. */
  ofSession: (sessionId: string) =>
    queryOptions({
      queryKey: ['session-recording', sessionId],
      queryFn: ({ signal }) =>
        api.sessionRecordings.state({ params: { sessionId } }, signal).catch((error: unknown) => {
          if (statusOf(error) === 404) {
            return null
          }
          throw error
        }),
      refetchInterval: refreshMs,
    }),
}

/** Begins to read a recording, which the audit log records. */
export const beginReading = (tenantId: string, recordingId: string) =>
  api.recordings.read({ tenantId, params: { recordingId } })

/** Entries of a block; failures throw `ApiError`. */
export async function readBlock(
  tenantId: string,
  { index, ...params }: { recordingId: string; readingId: string; index: number },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const url = buildUrl(applianceRecordings.routes.block.path, { tenantId, params, query: { index } })
  return new Uint8Array(await new Response(await openBody(url, signal)).arrayBuffer())
}

/** Address of a recorded terminal as a file of asciicast. */
export const asciicastAddress = (tenantId: string, params: { recordingId: string; readingId: string }): string =>
  buildUrl(applianceRecordings.routes.asciicast.path, { tenantId, params })
