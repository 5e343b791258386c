import { queryOptions } from '@tanstack/react-query'
import { api } from './http.ts'

const fleetMs = 10_000
const serverMs = 30_000

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
  signIns: queryOptions({
    queryKey: ['home', 'sign-ins'],
    queryFn: ({ signal }) => api.home.signIns({}, signal),
    refetchInterval: serverMs,
  }),
}
