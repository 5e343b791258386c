import { queryOptions } from '@tanstack/react-query'
import { api } from './http.ts'

const fleetMs = 10_000
const serverMs = 30_000
const changesMs = 60_000

/** Stored instant up to which the person has dismissed what changed. */
export const readChangesKey = 'home-changes-read'

/** Queries of the start page. */
export const homeQueries = {
  fleet: queryOptions({
    queryKey: ['home', 'fleet'],
    queryFn: ({ signal }) => api.home.fleet({}, signal),
    refetchInterval: fleetMs,
  }),
  server: queryOptions({
    queryKey: ['home', 'server'],
    queryFn: ({ signal }) => api.home.server({}, signal),
    refetchInterval: serverMs,
  }),
  /** Instant up to which changes were dismissed; null for none. */
  readChanges: (tenantId: string) =>
    queryOptions({
      queryKey: ['home', 'read-changes', tenantId],
      queryFn: async ({ signal }) =>
        (await api.userStorage.get({ tenantId, params: { key: readChangesKey } }, signal))?.value ?? null,
      staleTime: changesMs,
    }),
  changes: (after: string | undefined) =>
    queryOptions({
      queryKey: ['home', 'changes', after],
      queryFn: ({ signal }) => api.home.changes({ query: { after } }, signal),
      refetchInterval: changesMs,
    }),
  signIns: queryOptions({
    queryKey: ['home', 'sign-ins'],
    queryFn: ({ signal }) => api.home.signIns({}, signal),
    refetchInterval: serverMs,
  }),
}
