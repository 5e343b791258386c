import { queryOptions } from '@tanstack/react-query'
import { api } from './http.ts'

/** Answers of the person at a device change by themselves. */
const refreshMs = 30_000

export const consentQueries = {
  all: ['consent'],
  policies: (tenantId: string) =>
    queryOptions({
      queryKey: ['consent', 'policies', tenantId],
      queryFn: async ({ signal }) => (await api.consent.list({ tenantId }, signal)).items,
    }),
  /** Whether visits of this person ask at a device, and what the people there have answered. */
  device: (deviceId: string) =>
    queryOptions({
      queryKey: ['consent', 'device', deviceId],
      queryFn: ({ signal }) => api.consent.device({ params: { deviceId } }, signal),
      refetchInterval: refreshMs,
    }),
}
