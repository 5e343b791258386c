import { queryOptions } from '@tanstack/react-query'
import { api, statusOf } from './http.ts'

const serverMs = 5_000
const serverAlertMs = 30_000
const backupMs = 60_000
const healthMs = 30_000
const runningUpdateMs = 1_000

/** Lowest level of log lines that are read. */
export type ServerLogLevel = 'info' | 'warn' | 'error'

/** Key under which the server remembers the notice that a person dismissed. */
export const dismissedNoticeKey = 'dismissed-server-notice'

/** Queries about the server and the organizations on it. */
export const serverQueries = {
  serverAlert: queryOptions({
    queryKey: ['server-alert'],
    queryFn: ({ signal }) => api.serverAlert.get({}, signal),
    refetchInterval: serverAlertMs,
  }),
  backup: queryOptions({
    queryKey: ['backup'],
    queryFn: ({ signal }) => api.backup.get({}, signal),
    refetchInterval: backupMs,
  }),
  backupCopies: queryOptions({
    queryKey: ['backup-copies'],
    queryFn: async ({ signal }) => (await api.backup.copies({}, signal)).items,
  }),
  serverState: queryOptions({
    queryKey: ['server-state'],
    queryFn: ({ signal }) => api.server.state({}, signal),
    refetchInterval: serverMs,
  }),
  status: queryOptions({
    queryKey: ['status'],
    queryFn: ({ signal }) => api.status.get({}, signal),
    // Warnings on every page go soon after their cause.
    refetchInterval: ({ state: { data } }) => (data && (data.isApart || data.storage !== 'ok') ? serverMs : healthMs),
  }),
  healthReport: queryOptions({
    queryKey: ['health-report'],
    queryFn: ({ signal }) => api.health.report({}, signal),
    refetchInterval: healthMs,
  }),
  updates: queryOptions({
    queryKey: ['updates'],
    queryFn: ({ signal }) => api.updates.state({}, signal),
    // Polls faster during an update. The server is down for a part of it, which is no error.
    refetchInterval: ({ state }) => (state.data?.running ? runningUpdateMs : serverAlertMs),
    retry: false,
  }),
  serverStats: queryOptions({
    queryKey: ['server-stats'],
    queryFn: ({ signal }) => api.serverStats.get({}, signal),
    refetchInterval: serverMs,
  }),
  serverSettings: queryOptions({
    queryKey: ['server-settings'],
    queryFn: async ({ signal }) => (await api.server.settings({}, signal)).items,
  }),
  serverLog: (level: ServerLogLevel, search: string) =>
    queryOptions({
      queryKey: ['server-log', level, search],
      queryFn: ({ signal }) => api.server.log({ query: { level, search } }, signal),
    }),
  organization: (tenantId: string) =>
    queryOptions({
      queryKey: ['organization', tenantId],
      queryFn: ({ signal }) => api.organization.name({ tenantId }, signal),
    }),
  tenantSettings: (tenantId: string) =>
    queryOptions({
      queryKey: ['tenant-settings', tenantId],
      queryFn: ({ signal }) => api.tenantSettings.getAll({ tenantId }, signal),
      refetchInterval: serverAlertMs,
    }),
  secondFactorRule: queryOptions({
    queryKey: ['second-factor-rule'],
    queryFn: ({ signal }) => api.organization.secondFactor({}, signal),
  }),
  tenants: queryOptions({
    queryKey: ['tenants'],
    queryFn: async ({ signal }) => (await api.tenants.list({}, signal)).items,
    refetchInterval: serverAlertMs,
  }),
  tenant: (tenantId: string) =>
    queryOptions({
      queryKey: ['tenants', tenantId],
      queryFn: ({ signal }) => api.tenants.get({ params: { tenantId } }, signal),
    }),
  dashboard: queryOptions({
    queryKey: ['dashboard'],
    queryFn: ({ signal }) => api.serverLogs.getDashboardUrl({}, signal),
  }),
  decommission: queryOptions({
    queryKey: ['decommission'],
    queryFn: ({ signal }) => api.userServerSettings.decommissionStatus({}, signal),
    refetchInterval: serverAlertMs,
  }),
  /** Versions of server and agent, and what is new; null where the server offers no agent or has no notes. */
  versions: queryOptions({
    queryKey: ['versions'],
    queryFn: async ({ signal }) => {
      const orNull = (error: unknown) => {
        if (statusOf(error) === 404) {
          return null
        }
        throw error
      }
      const [server, agent, releaseNotes] = await Promise.all([
        api.versions.server({}, signal),
        api.versions.agent({}, signal).catch(orNull),
        api.versions.releaseNotes({}, signal).catch(orNull),
      ])
      return { server, agent, releaseNotes }
    },
  }),
  /** Text of the notice that the person dismissed; null for none, also for a guest of a link. */
  dismissedNotice: (tenantId: string) =>
    queryOptions({
      queryKey: ['dismissed-notice', tenantId],
      queryFn: async ({ signal }) =>
        (await api.userStorage.get({ tenantId, params: { key: dismissedNoticeKey } }, signal))?.value ?? null,
    }),
}
