import { api } from './http.ts'
import { query } from './query-client.ts'

/** The person at a device delays and declines without this page. */
const refreshMs = 10_000

export const powerQueries = {
  /** Power changes of a device, and its order. `connection`: changes while the device connects or leaves. */
  device: (deviceId: string, connection: 'online' | 'offline') =>
    query(
      ['devices', 'power', deviceId, connection],
      (signal) => api.devicePages.power({ params: { deviceId } }, signal),
      { refetchInterval: refreshMs },
    ),
}
