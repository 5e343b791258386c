import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../api/http.ts'

/** Deliveries change by themselves: attempts are made, and repeated. */
const refreshMs = 5_000
/** Interval while a first attempt is made, as after "Send again". */
const attemptMs = 500

export const webhookQueries = {
  all: ['webhooks'],
  list: (tenantId: string) =>
    queryOptions({
      queryKey: ['webhooks', tenantId],
      queryFn: async ({ signal }) => (await api.webhooks.list({ tenantId }, signal)).items,
      refetchInterval: refreshMs,
    }),
  deliveries: (tenantId: string, webhookId: string) =>
    queryOptions({
      queryKey: ['webhooks', tenantId, webhookId],
      queryFn: async ({ signal }) => (await api.webhooks.deliveries({ tenantId, params: { webhookId } }, signal)).items,
      refetchInterval: ({ state: { data } }) =>
        data?.some(({ state, attempts }) => state === 'waiting' && attempts === 0) ? attemptMs : refreshMs,
    }),
}
