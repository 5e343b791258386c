import { api } from './http.ts'
import { query, queryClient } from './query-client.ts'
import { sessionQueries } from './session-queries.ts'

/** Preference of the server that holds the current step of a new owner. */
export const firstStepsPreference = 'appliance-first-steps'

const refreshMs = 10_000

/** The person's own account, preferences and notices. */
export const accountQueries = {
  account: query(['account'], (signal) => api.account.get({}, signal)),
  passkeys: query(['passkeys'], (signal) => api.passkeys.list({}, signal)),
  externalLogins: query(['external-logins'], (signal) => api.ownLogins.logins({}, signal)),
  tokens: query(['own-tokens'], async (signal) => (await api.account.listTokens({}, signal)).items),
  tokenRights: query(['own-token-rights'], async (signal) => (await api.account.listTokenRights({}, signal)).items),
  signedInDevices: query(['signed-in-devices'], async (signal) => (await api.account.listSignIns({}, signal)).items, {
    refetchInterval: refreshMs,
  }),
  preferences: query(['preferences'], (signal) => api.userPreferences.getAll({}, signal)),
  effectivePreferences: query(['preferences', 'effective'], (signal) => api.effectiveUserPreferences.get({}, signal)),
  /** None for guests of links. */
  notices: query(
    ['notices'],
    async (signal) =>
      (await queryClient.ensureQueryData(sessionQueries.guest)) ? [] : (await api.notices.list({}, signal)).items,
    { staleTime: Infinity },
  ),
  /** How the person is notified, with the state of the last deliveries. */
  notifications: query(['notifications'], (signal) => api.notifications.get({}, signal), {
    refetchInterval: refreshMs,
  }),
  /** Current one of the first steps; null if none is left, and for guests of links. */
  firstSteps: query(
    ['first-steps'],
    async (signal) =>
      (await queryClient.ensureQueryData(sessionQueries.guest))
        ? null
        : ((await api.userPreferences.get({ params: { name: firstStepsPreference } }, signal))?.value ?? null),
    { retry: false, staleTime: Infinity },
  ),
}
