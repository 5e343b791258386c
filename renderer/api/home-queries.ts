import { api } from './http.ts'
import { query } from './query-client.ts'

const fleetMs = 10_000
const serverMs = 30_000
const changesMs = 60_000

/** Stored instant up to which the person has dismissed what changed. */
export const readChangesKey = 'home-changes-read'

/** Queries of the start page. */
export const homeQueries = {
  fleet: query(['home', 'fleet'], (signal) => api.home.fleet({}, signal), { refetchInterval: fleetMs }),
  server: query(['home', 'server'], (signal) => api.home.server({}, signal), { refetchInterval: serverMs }),
  /** Instant up to which changes were dismissed; null for none. */
  readChanges: query(
    ['home', 'read-changes'],
    async (signal) => (await api.userStorage.get({ params: { key: readChangesKey } }, signal))?.value ?? null,
    { staleTime: changesMs },
  ),
  changes: (after: string | undefined) =>
    query(['home', 'changes', after], (signal) => api.home.changes({ query: { after } }, signal), {
      refetchInterval: changesMs,
    }),
  signIns: query(['home', 'sign-ins'], (signal) => api.home.signIns({}, signal), { refetchInterval: serverMs }),
}
