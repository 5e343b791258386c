import { api } from '../../../api/http.ts'
import { query } from '../../../api/query-client.ts'

/** Deliveries change by themselves: attempts are made, and repeated. */
const refreshMs = 5_000
/** Interval while a first attempt is made, as after "Send again". */
const attemptMs = 500

export const webhookQueries = {
  all: ['webhooks'],
  list: query(['webhooks'], async (signal) => (await api.webhooks.list({}, signal)).items, {
    refetchInterval: refreshMs,
  }),
  deliveries: (webhookId: string) =>
    query(
      ['webhooks', webhookId],
      async (signal) => (await api.webhooks.deliveries({ params: { webhookId } }, signal)).items,
      {
        refetchInterval: ({ state: { data } }) =>
          data?.some(({ state, attempts }) => state === 'waiting' && attempts === 0) ? attemptMs : refreshMs,
      },
    ),
}
