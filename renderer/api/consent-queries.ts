import { api } from './http.ts'
import { query } from './query-client.ts'

/** Answers of the person at a device change by themselves. */
const refreshMs = 30_000

export const consentQueries = {
  all: ['consent'],
  policies: query(['consent', 'policies'], async (signal) => (await api.consent.list({}, signal)).items),
  /** Whether visits of this person ask at a device, and what the people there have answered. */
  device: (deviceId: string) =>
    query(['consent', 'device', deviceId], (signal) => api.consent.device({ params: { deviceId } }, signal), {
      refetchInterval: refreshMs,
    }),
}
