import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import type { AlertState } from '../../shared/dtos/alert.ts'
import type { AlertCondition, AlertScope } from '../../shared/dtos/alert-rule.ts'
import { api } from './http.ts'
import { onCaughtUp } from './heartbeats.ts'
import { onAlertsChange } from './hubs.ts'
import { invalidate, query } from './query-client.ts'

/** Reloads alerts when they have changed, or may have changed while the connection was lost. */
export function followAlerts(): () => void {
  const reload = () => void invalidate(alertQueries.all)
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
  summary: query(['alerts', 'summary'], (signal) => api.alerts.summary({}, signal), { staleTime: Infinity }),
  newest: query(
    ['alerts', 'newest'],
    async (signal) => (await api.alerts.list({ query: { limit: newestLength } }, signal)).items,
    { staleTime: Infinity },
  ),
  ofDevice: (deviceId: string) =>
    query(
      ['alerts', 'device', deviceId],
      async (signal) => (await api.alerts.list({ query: { deviceId } }, signal)).items,
    ),
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
    query(['alerts', 'one', alertId], (signal) => api.alerts.get({ params: { alertId } }, signal)),
  rules: query(['alerts', 'rules'], (signal) => api.alerts.listRules({}, signal)),
  preview: (condition: AlertCondition, scope: AlertScope) =>
    query(
      ['alert-preview', condition, scope],
      (signal) => api.alerts.previewRule({ body: { condition, scope } }, signal),
      { placeholderData: keepPreviousData },
    ),
  onCall: query(['alerts', 'on-call'], (signal) => api.alerts.onCall({}, signal)),
}
