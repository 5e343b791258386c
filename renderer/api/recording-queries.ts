import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { applianceRecordings, type RecordingSearch } from '../../shared/api/appliance-recordings.ts'
import { buildUrl } from '../../shared/contract/client.ts'
import { api, openBody, statusOf } from './http.ts'
import { query } from './query-client.ts'

const pageSize = 50
/** A recording ends by itself when nothing more can be stored. */
const refreshMs = 5_000

export const recordingQueries = {
  all: ['recordings'],
  list: (filters: Pick<RecordingSearch, 'deviceId' | 'kind'>) =>
    infiniteQueryOptions({
      queryKey: ['recordings', filters],
      queryFn: ({ pageParam, signal }) =>
        api.recordings.list({ query: { ...filters, before: pageParam, limit: pageSize } }, signal),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ items, hasMore }) => (hasMore ? items.at(-1)?.startedAt : undefined),
      placeholderData: keepPreviousData,
    }),
  one: (recordingId: string) =>
    query(['recordings', 'one', recordingId], (signal) => api.recordings.get({ params: { recordingId } }, signal)),
  policies: query(['recording-policies'], async (signal) => (await api.recordings.policies({}, signal)).items),
  /** Recording of an own session; null where nothing may be recorded. */
  ofSession: (sessionId: string) =>
    query(
      ['session-recording', sessionId],
      (signal) =>
        api.sessionRecordings.state({ params: { sessionId } }, signal).catch((error: unknown) => {
          if (statusOf(error) === 404) {
            return null
          }
          throw error
        }),
      { refetchInterval: refreshMs },
    ),
}

/** Begins to read a recording, which the audit log records. */
export const beginReading = (recordingId: string) => api.recordings.read({ params: { recordingId } })

/** Entries of a block; failures throw `ApiError`. */
export async function readBlock(
  { index, ...params }: { recordingId: string; readingId: string; index: number },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const url = buildUrl(applianceRecordings.routes.block.path, { params, query: { index } })
  return new Uint8Array(await new Response(await openBody(url, signal)).arrayBuffer())
}

/** Address of a recorded terminal as a file of asciicast. */
export const asciicastAddress = (params: { recordingId: string; readingId: string }): string =>
  buildUrl(applianceRecordings.routes.asciicast.path, { params })
