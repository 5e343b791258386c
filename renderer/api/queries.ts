import { dateLanguageOf, dateLanguagePreference, setDateLanguage } from '../text/format.ts'
import { api, setTenant, statusOf } from './http.ts'
import { query, queryClient } from './query-client.ts'
import { browserStorage } from './storage.ts'

/** Preference of the server that holds the current step of a new owner. */
export const firstStepsPreference = 'appliance-first-steps'

/** Polling intervals of running work. */
const batchMs = 1_000
const sessionsMs = 2_000
const networkMs = 5_000
const visitMs = 1_000
const signedInMs = 10_000

/** Tenant of the last session in this browser; without it, preferences take another round trip. */
const tenantKey = 'farhand.tenant'

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
  const expected = browserStorage.get(tenantKey)
  const [user, ahead] = await Promise.all([
    api.auth.me({}, signal),
    expected === null ? undefined : readStored(expected, signal).catch(() => undefined),
  ])
  const known = queryClient.getQueryData<{ user: { id: string } }>(['session'])
  if (known && known.user.id !== user.id) {
    // Another person has signed in in another tab and must see nothing that this page holds.
    location.assign('/')
    return new Promise<never>(() => {})
  }
  const isExpected = user.tenantId === expected && ahead !== undefined
  const stored = isExpected ? ahead : await readStored(user.tenantId, signal)
  browserStorage.set(tenantKey, user.tenantId)
  setTenant(user.tenantId)
  setDateLanguage(stored.dateLanguage)
  return { user, ...stored }
}

export const queries = {
  session: query(
    ['session'],
    async (signal) => {
      const [user, { items, missingSecondFactor }] = await Promise.all([
        readUser(signal),
        api.status.permissions({}, signal),
      ])
      return { ...user, permissions: new Set<string>(items), missingSecondFactor }
    },
    {
      staleTime: Infinity,
      // api/http.ts handles a 401; other failures are retried.
      retry: (_, error) => statusOf(error) !== 401,
      retryDelay: 2_000,
    },
  ),
  signInWays: query(['sign-in-ways'], (signal) => api.providers.ways({}, signal), { retryDelay: 2_000 }),
  passkeys: query(['passkeys'], (signal) => api.passkeys.list({}, signal)),
  externalLogins: query(['external-logins'], (signal) => api.ownLogins.logins({}, signal)),
  publicSettings: query(['public-settings'], (signal) => api.publicServerSettings.get({}, signal), {
    retryDelay: 2_000,
    retry: true,
  }),
  registration: query(['registration'], (signal) => api.session.registration({}, signal), {
    retryDelay: 2_000,
    retry: true,
  }),
  signInHelp: query(['sign-in-help'], (signal) => api.entry.help({}, signal), { retryDelay: 2_000 }),
  /** Limits of a session that a link began; null for others. */
  guest: query(['guest'], async (signal) => (await api.ownEntry.guest({}, signal)).guest, { staleTime: Infinity }),
  /** Current one of the first steps; null if none is left. */
  firstSteps: query(
    ['first-steps'],
    async (signal) =>
      (await api.userPreferences.get({ params: { name: firstStepsPreference } }, signal))?.value ?? null,
    { retry: false, staleTime: Infinity },
  ),
  network: query(['network'], (signal) => api.network.get({}, signal), { refetchInterval: networkMs }),
  firewall: (port: number) => query(['network', 'firewall', port], (signal) => api.network.firewall({}, signal)),
  networkVisit: (visitId: string) =>
    query(
      ['network', 'visit', visitId],
      async (signal) => (await api.network.visit({ params: { visitId } }, signal)).report,
      {
        // Polls until the device has reported or the test has expired.
        refetchInterval: ({ state }) => (state.data || state.error ? false : visitMs),
      },
    ),
  networkTrust: query(['network-trust'], (signal) => api.networkVisitor.trust({}, signal)),
  account: query(['account'], (signal) => api.account.get({}, signal)),
  ownTokens: query(['own-tokens'], async (signal) => (await api.account.listTokens({}, signal)).items),
  ownTokenRights: query(['own-token-rights'], async (signal) => (await api.account.listTokenRights({}, signal)).items),
  signedInDevices: query(['signed-in-devices'], async (signal) => (await api.account.listSignIns({}, signal)).items, {
    refetchInterval: signedInMs,
  }),
  preferences: query(['preferences'], (signal) => api.userPreferences.getAll({}, signal)),
  effectivePreferences: query(['preferences', 'effective'], (signal) => api.effectiveUserPreferences.get({}, signal)),
  notices: query(['notices'], async (signal) => (await api.notices.list({}, signal)).items, { staleTime: Infinity }),
  /** How the person is notified, with the state of the last deliveries. */
  notifications: query(['notifications'], (signal) => api.notifications.get({}, signal), {
    refetchInterval: signedInMs,
  }),
  deployment: query(['deployment'], (signal) => api.status.deployment({}, signal)),
  agentBuild: query(['agent-build'], async (signal) => (await api.agentBuilds.get({}, signal)).build),
  agentReleases: query(['agent-releases'], async (signal) => (await api.agentReleases.list({}, signal)).items),
  installerKeys: query(['installer-keys'], async (signal) => (await api.installerKeys.list({}, signal)).items),
  installerKeyUsages: (keyId: string) =>
    query(
      ['installer-key-usages', keyId],
      async (signal) => (await api.installerKeys.usages({ params: { keyId } }, signal)).items,
    ),
  batches: query(['batches'], async (signal) => (await api.batches.list({}, signal)).items),
  batch: (batchId: string) =>
    query(['batches', batchId], (signal) => api.batches.get({ params: { batchId } }, signal), {
      // Polls while the job runs.
      refetchInterval: ({ state }) => (state.data && state.data.batch.finishedAt === null ? batchMs : false),
    }),
  batchOutput: (batchId: string, deviceId: string) =>
    query(['batches', batchId, deviceId], (signal) => api.batches.output({ params: { batchId, deviceId } }, signal), {
      staleTime: Infinity,
    }),
  sessions: query(
    ['sessions'],
    async (signal) => ({ sessions: (await api.sessions.list({}, signal)).items, readAt: Date.now() }),
    { refetchInterval: sessionsMs },
  ),
  tags: query(['tags'], async (signal) => (await api.tags.list({ query: { includeLinkedIds: false } }, signal)).items),
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
