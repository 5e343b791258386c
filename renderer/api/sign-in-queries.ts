import { api } from './http.ts'
import { query } from './query-client.ts'

/** Sign-in methods, registration and public settings of the server. */
export const signInQueries = {
  ways: query(['sign-in-ways'], (signal) => api.providers.ways({}, signal), { retryDelay: 2_000 }),
  publicSettings: query(['public-settings'], (signal) => api.publicServerSettings.get({}, signal), {
    retryDelay: 2_000,
    retry: true,
  }),
  registration: query(['registration'], (signal) => api.session.registration({}, signal), {
    retryDelay: 2_000,
    retry: true,
  }),
  help: query(['sign-in-help'], (signal) => api.entry.help({}, signal), { retryDelay: 2_000 }),
}
