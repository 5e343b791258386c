import { claimFragment } from '../../shared/page-key.ts'
import { api } from './http.ts'

/** Claims the session of the link that led here, before anything else needs it. */
export async function claimSession(): Promise<void> {
  const { hash, pathname, search } = location
  if (!hash.startsWith(claimFragment)) {
    return
  }
  history.replaceState(history.state, '', pathname + search)
  // A claim that is of no use any more leaves the page as it is without one: with its session, or without.
  await api.session.claim({ body: { claim: hash.slice(claimFragment.length) } }).catch(() => {})
}
