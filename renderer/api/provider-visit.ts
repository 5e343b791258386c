import { api } from './http.ts'
import { tabStorage } from './storage.ts'
import type { ProviderPlace } from '../../shared/dtos/identity-provider.ts'

const storageKey = 'farhand.provider-visit'

/** State stored in the tab while it shows the pages of a provider. */
interface Visit {
  ticket: string
  purpose: 'sign-in' | 'link'
  /** Code of the invitation that a new account accepts. */
  invitation?: string
  /** Local path to open afterwards. */
  returnUrl: string
}

async function leave(begun: { ticket: string; url: string }, visit: Omit<Visit, 'ticket'>) {
  tabStorage.set(storageKey, JSON.stringify({ ...visit, ticket: begun.ticket }))
  location.assign(begun.url)
  // The page stays busy until the browser has left it.
  await new Promise(() => {})
}

/** Leaves for a provider to sign in. Rejects if the provider cannot be reached. */
export const visitToSignIn = async (place: ProviderPlace, returnUrl: string): Promise<void> =>
  leave(await api.providers.begin({ params: { place } }), { purpose: 'sign-in', returnUrl })

/** Leaves for a provider to accept an invitation with an account there. */
export const visitToAccept = async (place: ProviderPlace, invitation: string): Promise<void> =>
  leave(await api.providers.begin({ params: { place } }), { purpose: 'sign-in', returnUrl: '/home', invitation })

/** Leaves for a provider to link an account. */
export const visitToLink = async (place: ProviderPlace): Promise<void> =>
  leave(await api.ownLogins.beginLink({ params: { place } }), { purpose: 'link', returnUrl: '/account#linked' })

/** The visit that this tab began, once; undefined if it was begun in another tab or browser. */
export function endVisit(): Visit | undefined {
  const stored = tabStorage.get(storageKey)
  tabStorage.remove(storageKey)
  return stored === null ? undefined : (JSON.parse(stored) as Visit)
}
