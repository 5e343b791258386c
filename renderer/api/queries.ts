import { queryOptions } from '@tanstack/react-query'
import { dateLanguageOf, dateLanguagePreference, setDateLanguage } from '../text/format.ts'
import { api, statusOf } from './http.ts'

/** Preference of the server that holds the current step of a new owner. */
export const firstStepsPreference = 'appliance-first-steps'

/** Polling intervals of running work. */
const batchMs = 1_000
const sessionsMs = 2_000
const networkMs = 5_000
const visitMs = 1_000
const signedInMs = 10_000

/** Tenant of the last session in this browser. */
const tenantKey = 'farhand.tenant'

/** Returns null if the browser blocks storage: preferences then take another round trip. */
function lastTenant() {
  try {
    return localStorage.getItem(tenantKey)
  } catch {
    return null
  }
}

function storeTenant(tenantId: string) {
  try {
    localStorage.setItem(tenantKey, tenantId)
  } catch {
    // Storage is full or blocked.
  }
}

/** Reads preferences that the page needs before it draws anything. A link to one device has none. */
async function readStored(tenantId: string, signal: AbortSignal) {
  const read = async (name: string) => {
    try {
      return (await api.userPreferences.get({ tenantId, params: { name } }, signal))?.value
    } catch (error) {
      if (statusOf(error) === 403) {
        return undefined
      }
      throw error
    }
  }
  const [themeMode, dateLanguage] = await Promise.all([read('theme-mode'), read(dateLanguagePreference)])
  return { themeMode, dateLanguage: dateLanguageOf(dateLanguage) }
}

/**
 * Reads the signed-in user and their preferences in one round trip: the tenant is almost always that of the last
 * session. If it is another one, its preferences are read afterwards.
 */
async function readUser(signal: AbortSignal) {
  const expected = lastTenant()
  const [user, ahead] = await Promise.all([
    api.auth.me({}, signal),
    expected === null ? undefined : readStored(expected, signal).catch(() => undefined),
  ])
  const isExpected = user.tenantId === expected && ahead !== undefined
  const stored = isExpected ? ahead : await readStored(user.tenantId, signal)
  storeTenant(user.tenantId)
  setDateLanguage(stored.dateLanguage)
  return { user, ...stored }
}

export const queries = {
  session: queryOptions({
    queryKey: ['session'],
    queryFn: async ({ signal }) => {
      const [user, { items, missingSecondFactor }] = await Promise.all([
        readUser(signal),
        api.status.permissions({}, signal),
      ])
      return { ...user, permissions: new Set<string>(items), missingSecondFactor }
    },
    staleTime: Infinity,
    // api/http.ts handles a 401; other failures are retried.
    retry: (_, error) => statusOf(error) !== 401,
    retryDelay: 2_000,
  }),
  signInWays: queryOptions({
    queryKey: ['sign-in-ways'],
    queryFn: ({ signal }) => api.providers.ways({}, signal),
    retryDelay: 2_000,
  }),
  passkeys: queryOptions({
    queryKey: ['passkeys'],
    queryFn: ({ signal }) => api.passkeys.list({}, signal),
  }),
  externalLogins: queryOptions({
    queryKey: ['external-logins'],
    queryFn: ({ signal }) => api.ownLogins.logins({}, signal),
  }),
  publicSettings: queryOptions({
    queryKey: ['public-settings'],
    queryFn: ({ signal }) => api.publicServerSettings.get({}, signal),
    retryDelay: 2_000,
    retry: true,
  }),
  registration: queryOptions({
    queryKey: ['registration'],
    queryFn: ({ signal }) => api.session.registration({}, signal),
    retryDelay: 2_000,
    retry: true,
  }),
  signInHelp: queryOptions({
    queryKey: ['sign-in-help'],
    queryFn: ({ signal }) => api.entry.help({}, signal),
    retryDelay: 2_000,
  }),
  /** Limits of a session that a link began; null for others. */
  guest: queryOptions({
    queryKey: ['guest'],
    queryFn: async ({ signal }) => (await api.ownEntry.guest({}, signal)).guest,
    staleTime: Infinity,
  }),
  /** Current one of the first steps; null if none is left. */
  firstSteps: (tenantId: string) =>
    queryOptions({
      queryKey: ['first-steps'],
      queryFn: async ({ signal }) =>
        (await api.userPreferences.get({ tenantId, params: { name: firstStepsPreference } }, signal))?.value ?? null,
      retry: false,
      staleTime: Infinity,
    }),
  network: queryOptions({
    queryKey: ['network'],
    queryFn: ({ signal }) => api.network.get({}, signal),
    refetchInterval: networkMs,
  }),
  firewall: (port: number) =>
    queryOptions({
      queryKey: ['network', 'firewall', port],
      queryFn: ({ signal }) => api.network.firewall({}, signal),
    }),
  networkVisit: (visitId: string) =>
    queryOptions({
      queryKey: ['network', 'visit', visitId],
      queryFn: async ({ signal }) => (await api.network.visit({ params: { visitId } }, signal)).report,
      // Polls until the device has reported or the test has expired.
      refetchInterval: ({ state }) => (state.data || state.error ? false : visitMs),
    }),
  networkTrust: queryOptions({
    queryKey: ['network-trust'],
    queryFn: ({ signal }) => api.networkVisitor.trust({}, signal),
  }),
  account: queryOptions({ queryKey: ['account'], queryFn: ({ signal }) => api.account.get({}, signal) }),
  ownTokens: queryOptions({
    queryKey: ['own-tokens'],
    queryFn: async ({ signal }) => (await api.account.listTokens({}, signal)).items,
  }),
  ownTokenRights: queryOptions({
    queryKey: ['own-token-rights'],
    queryFn: async ({ signal }) => (await api.account.listTokenRights({}, signal)).items,
  }),
  signedInDevices: queryOptions({
    queryKey: ['signed-in-devices'],
    queryFn: async ({ signal }) => (await api.account.listSignIns({}, signal)).items,
    refetchInterval: signedInMs,
  }),
  preferences: (tenantId: string) =>
    queryOptions({
      queryKey: ['preferences', tenantId],
      queryFn: ({ signal }) => api.userPreferences.getAll({ tenantId }, signal),
    }),
  effectivePreferences: (tenantId: string) =>
    queryOptions({
      queryKey: ['preferences', tenantId, 'effective'],
      queryFn: ({ signal }) => api.effectiveUserPreferences.get({ tenantId }, signal),
    }),
  notices: queryOptions({
    queryKey: ['notices'],
    queryFn: async ({ signal }) => (await api.notices.list({}, signal)).items,
    staleTime: Infinity,
  }),
  /** How the person is notified, with the state of the last deliveries. */
  notifications: queryOptions({
    queryKey: ['notifications'],
    queryFn: ({ signal }) => api.notifications.get({}, signal),
    refetchInterval: signedInMs,
  }),
  deployment: (tenantId: string) =>
    queryOptions({
      queryKey: ['deployment', tenantId],
      queryFn: ({ signal }) => api.status.deployment({ tenantId }, signal),
    }),
  agentBuild: queryOptions({
    queryKey: ['agent-build'],
    queryFn: async ({ signal }) => (await api.agentBuilds.get({}, signal)).build,
  }),
  agentReleases: queryOptions({
    queryKey: ['agent-releases'],
    queryFn: async ({ signal }) => (await api.agentReleases.list({}, signal)).items,
  }),
  installerKeys: (tenantId: string) =>
    queryOptions({
      queryKey: ['installer-keys', tenantId],
      queryFn: async ({ signal }) => (await api.installerKeys.list({ tenantId }, signal)).items,
    }),
  installerKeyUsages: (tenantId: string, keyId: string) =>
    queryOptions({
      queryKey: ['installer-key-usages', tenantId, keyId],
      queryFn: async ({ signal }) => (await api.installerKeys.usages({ tenantId, params: { keyId } }, signal)).items,
    }),
  batches: queryOptions({
    queryKey: ['batches'],
    queryFn: async ({ signal }) => (await api.batches.list({}, signal)).items,
  }),
  batch: (batchId: string) =>
    queryOptions({
      queryKey: ['batches', batchId],
      queryFn: ({ signal }) => api.batches.get({ params: { batchId } }, signal),
      // Polls while the job runs.
      refetchInterval: ({ state }) => (state.data && state.data.batch.finishedAt === null ? batchMs : false),
    }),
  batchOutput: (batchId: string, deviceId: string) =>
    queryOptions({
      queryKey: ['batches', batchId, deviceId],
      queryFn: ({ signal }) => api.batches.output({ params: { batchId, deviceId } }, signal),
      staleTime: Infinity,
    }),
  sessions: queryOptions({
    queryKey: ['sessions'],
    queryFn: async ({ signal }) => ({ sessions: (await api.sessions.list({}, signal)).items, readAt: Date.now() }),
    refetchInterval: sessionsMs,
  }),
  tags: (tenantId: string) =>
    queryOptions({
      queryKey: ['tags', tenantId],
      queryFn: async ({ signal }) =>
        (await api.tags.list({ tenantId, query: { includeLinkedIds: false } }, signal)).items,
    }),
  /** Largest file that the server transfers, in bytes; Infinity without a limit. */
  transferLimit: queryOptions({
    queryKey: ['transfer-limit'],
    queryFn: async ({ signal }) => {
      const { maxFileSize } = await api.userServerSettings.fileUploadMaxSize({}, signal)
      return maxFileSize > 0 ? maxFileSize : Infinity
    },
    staleTime: 30_000,
  }),
}
