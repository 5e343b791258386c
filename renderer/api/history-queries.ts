import type { HistoryRange } from '../../shared/dtos/history.ts'
import { api } from './http.ts'
import { query } from './query-client.ts'

const refreshMs = 60_000

/** Devices whose history is shown; by default all that the person can see. */
export interface HistorySelection {
  customerId?: string
  tagId?: string
}

export const historyQueries = {
  device: (deviceId: string, range: HistoryRange) =>
    query(
      ['devices', 'history', deviceId, range],
      (signal) => api.history.device({ params: { deviceId }, query: { range } }, signal),
      { refetchInterval: refreshMs },
    ),
  fleet: (of: HistorySelection, range: HistoryRange) =>
    query(['devices', 'history', of, range], (signal) => api.history.fleet({ query: { range, ...of } }, signal), {
      refetchInterval: refreshMs,
    }),
}
