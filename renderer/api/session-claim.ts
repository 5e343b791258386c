import { claimFragment } from '../../shared/page-key.ts'
import { api } from './http.ts'

/** Claims the session of the link that opened this page, before any other request. */
export async function claimSession(): Promise<void> {
  const { hash, pathname, search } = location
  if (!hash.startsWith(claimFragment)) {
    return
  }
  history.replaceState(history.state, '', pathname + search)
  // After a failed claim the page uses its present session, if there is one.
  await api.session.claim({ body: { claim: hash.slice(claimFragment.length) } }).catch(() => {})
}
