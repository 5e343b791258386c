import { api, statusOf } from './http.ts'
import { query } from './query-client.ts'

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
  serverAlert: query(['server-alert'], (signal) => api.serverAlert.get({}, signal), { refetchInterval: serverAlertMs }),
  backup: query(['backup'], (signal) => api.backup.get({}, signal), { refetchInterval: backupMs }),
  backupCopies: query(['backup-copies'], async (signal) => (await api.backup.copies({}, signal)).items),
  serverState: query(['server-state'], (signal) => api.server.state({}, signal), { refetchInterval: serverMs }),
  status: query(['status'], (signal) => api.status.get({}, signal), {
    // Warnings on every page go soon after their cause.
    refetchInterval: ({ state: { data } }) => (data && (data.isApart || data.storage !== 'ok') ? serverMs : healthMs),
  }),
  healthReport: query(['health-report'], (signal) => api.health.report({}, signal), { refetchInterval: healthMs }),
  updates: query(['updates'], (signal) => api.updates.state({}, signal), {
    // Polls faster during an update. The server is down for a part of it, which is no error.
    refetchInterval: ({ state }) => (state.data?.running ? runningUpdateMs : serverAlertMs),
    retry: false,
  }),
  serverStats: query(['server-stats'], (signal) => api.serverStats.get({}, signal), { refetchInterval: serverMs }),
  serverSettings: query(['server-settings'], async (signal) => (await api.server.settings({}, signal)).items),
  serverLog: (level: ServerLogLevel, search: string) =>
    query(['server-log', level, search], (signal) => api.server.log({ query: { level, search } }, signal)),
  organization: query(['organization'], (signal) => api.organization.name({}, signal)),
  tenantSettings: query(['tenant-settings'], (signal) => api.tenantSettings.getAll({}, signal), {
    refetchInterval: serverAlertMs,
  }),
  secondFactorRule: query(['second-factor-rule'], (signal) => api.organization.secondFactor({}, signal)),
  tenants: query(['tenants'], async (signal) => (await api.tenants.list({}, signal)).items, {
    refetchInterval: serverAlertMs,
  }),
  tenant: (tenantId: string) =>
    query(['tenants', tenantId], (signal) => api.tenants.get({ params: { tenantId } }, signal)),
  dashboard: query(['dashboard'], (signal) => api.serverLogs.getDashboardUrl({}, signal)),
  decommission: query(['decommission'], (signal) => api.userServerSettings.decommissionStatus({}, signal), {
    refetchInterval: serverAlertMs,
  }),
  /** Versions of server and agent, and what is new; null where the server offers no agent or has no notes. */
  versions: query(['versions'], async (signal) => {
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
  }),
  /** Text of the notice that the person dismissed; null for none, also for a guest of a link. */
  dismissedNotice: query(
    ['dismissed-notice'],
    async (signal) => (await api.userStorage.get({ params: { key: dismissedNoticeKey } }, signal))?.value ?? null,
  ),
  /** Largest file that the server transfers, in bytes; Infinity without a limit. */
  transferLimit: query(
    ['transfer-limit'],
    async (signal) => {
      const { maxFileSize } = await api.userServerSettings.fileUploadMaxSize({}, signal)
      return maxFileSize > 0 ? maxFileSize : Infinity
    },
    { staleTime: 30_000 },
  ),
}
