import { api } from './http.ts'
import { query } from './query-client.ts'

const sessionsMs = 2_000

/** Sessions at devices. */
export const remoteSessionQueries = {
  sessions: query(
    ['sessions'],
    async (signal) => ({ sessions: (await api.sessions.list({}, signal)).items, readAt: Date.now() }),
    { refetchInterval: sessionsMs },
  ),
}
