import { infiniteQueryOptions, keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query'
import type { AlertState } from '../../shared/dtos/alert.ts'
import type { AlertCondition, AlertScope } from '../../shared/dtos/alert-rule.ts'
import { api } from './http.ts'
import { onCaughtUp } from './heartbeats.ts'
import { onAlertsChange } from './hubs.ts'

/** Reloads alerts when they have changed, or may have changed while the connection was lost. */
export function followAlerts(client: QueryClient): () => void {
  const reload = () => void client.invalidateQueries({ queryKey: alertQueries.all })
  const stops = [onAlertsChange(reload), onCaughtUp(reload)]
  return () => stops.forEach((stop) => stop())
}

const pageSize = 50
/** Alerts that the bell, toasts and the start page show. */
const newestLength = 20

/** State of the alerts to list; `active` are those that are not closed. */
type AlertFilter = AlertState | 'active'

/** Subject of the alerts of a list; undefined for everything. */
interface AlertsAbout {
  deviceId: string | undefined
  ruleId: string | undefined
  customerId: string | undefined
}

/** Alerts, their rules and who is on call. Every change of them is announced: `followAlerts` reloads what begins with `all`. */
export const alertQueries = {
  all: ['alerts'],
  summary: queryOptions({
    queryKey: ['alerts', 'summary'],
    queryFn: ({ signal }) => api.alerts.summary({}, signal),
    staleTime: Infinity,
  }),
  newest: queryOptions({
    queryKey: ['alerts', 'newest'],
    queryFn: async ({ signal }) => (await api.alerts.list({ query: { limit: newestLength } }, signal)).items,
    staleTime: Infinity,
  }),
  ofDevice: (deviceId: string) =>
    queryOptions({
      queryKey: ['alerts', 'device', deviceId],
      queryFn: async ({ signal }) => (await api.alerts.list({ query: { deviceId } }, signal)).items,
    }),
  list: (state: AlertFilter, about: AlertsAbout) =>
    infiniteQueryOptions({
      queryKey: ['alerts', 'list', state, about],
      queryFn: ({ pageParam, signal }) =>
        api.alerts.list({ query: { state, ...about, before: pageParam, limit: pageSize } }, signal),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ next }) => next ?? undefined,
      placeholderData: keepPreviousData,
    }),
  one: (alertId: string) =>
    queryOptions({
      queryKey: ['alerts', 'one', alertId],
      queryFn: ({ signal }) => api.alerts.get({ params: { alertId } }, signal),
    }),
  rules: (tenantId: string) =>
    queryOptions({
      queryKey: ['alerts', 'rules', tenantId],
      queryFn: ({ signal }) => api.alerts.listRules({ tenantId }, signal),
    }),
  preview: (tenantId: string, condition: AlertCondition, scope: AlertScope) =>
    queryOptions({
      queryKey: ['alert-preview', tenantId, condition, scope],
      queryFn: ({ signal }) => api.alerts.previewRule({ tenantId, body: { condition, scope } }, signal),
      placeholderData: keepPreviousData,
    }),
  onCall: (tenantId: string) =>
    queryOptions({
      queryKey: ['alerts', 'on-call', tenantId],
      queryFn: ({ signal }) => api.alerts.onCall({ tenantId }, signal),
    }),
}
