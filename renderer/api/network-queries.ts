import { api } from './http.ts'
import { query } from './query-client.ts'

const networkMs = 5_000
const visitMs = 1_000

/** Addresses, certificate and reachability of the server. */
export const networkQueries = {
  network: query(['network'], (signal) => api.network.get({}, signal), { refetchInterval: networkMs }),
  firewall: (port: number) => query(['network', 'firewall', port], (signal) => api.network.firewall({}, signal)),
  visit: (visitId: string) =>
    query(
      ['network', 'visit', visitId],
      async (signal) => (await api.network.visit({ params: { visitId } }, signal)).report,
      {
        // Polls until the device has reported or the test has expired.
        refetchInterval: ({ state }) => (state.data || state.error ? false : visitMs),
      },
    ),
  trust: query(['network-trust'], (signal) => api.networkVisitor.trust({}, signal)),
}
