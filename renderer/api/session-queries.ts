import { dateLanguageOf, dateLanguagePreference, setDateLanguage } from '../text/format.ts'
import { api, setTenant, statusOf } from './http.ts'
import { query, queryClient } from './query-client.ts'
import { startAfresh } from './start-afresh.ts'
import { browserStorage } from './storage.ts'

/** Tenant of the last session in this browser; without it, preferences take another round trip. */
const tenantKey = 'farhand.tenant'

/** User of the last session in this browser: the other tabs read their session again when it changes. */
const userKey = 'farhand.user'
addEventListener('storage', ({ key }) => {
  if (key === userKey) {
    void queryClient.invalidateQueries({ queryKey: ['session'] })
  }
})

/** Call when a guest's session begins: its page asks for no preferences of the tenant of the session before. */
export const forgetTenant = (): void => browserStorage.remove(tenantKey)

const noPreferences = { themeMode: undefined, dateLanguage: undefined }

/** Reads preferences that the page needs before it draws anything. */
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

/** Limits of a session that a link began; null for others. */
const guestQuery = query(['guest'], async (signal) => (await api.signedInEntry.guest({}, signal)).guest, {
  staleTime: Infinity,
})

/**
 * Reads the signed-in user and their preferences in one round trip: the tenant is almost always that of the last
 * session. If it is another one, its preferences are read afterwards. Guests of links have none.
 */
async function readUser(signal: AbortSignal) {
  const expected = browserStorage.get(tenantKey)
  const [user, guest, ahead] = await Promise.all([
    api.auth.me({}, signal),
    // 403 for a user without the second factor that an organization demands, who is no guest.
    queryClient.ensureQueryData(guestQuery).catch(() => null),
    expected === null ? undefined : readStored(expected, signal).catch(() => undefined),
  ])
  const known = queryClient.getQueryData<{ user: { id: string } }>(['session'])
  if (known && known.user.id !== user.id) {
    // Another person has signed in in another tab.
    startAfresh()
    return new Promise<never>(() => {})
  }
  const isExpected = user.tenantId === expected && ahead !== undefined
  const stored = guest ? noPreferences : isExpected ? ahead : await readStored(user.tenantId, signal)
  if (guest) {
    forgetTenant()
  } else {
    browserStorage.set(tenantKey, user.tenantId)
  }
  browserStorage.set(userKey, user.id)
  setTenant(user.tenantId)
  setDateLanguage(stored.dateLanguage)
  return { user, ...stored }
}

/** The session of this window. */
export const sessionQueries = {
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
  guest: guestQuery,
}
