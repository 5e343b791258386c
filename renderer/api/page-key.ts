import { pageKeyHeader, pageProtocols } from '../../shared/page-key.ts'
import { newSecret } from './new-id.ts'
import { browserStorage } from './storage.ts'

const storageKey = 'farhand.page-key'

/** Key of this tab only, for browsers that block storage: the session ends with the tab. */
let unstored = newSecret(32)

/** Key that sessions of this origin need in addition to the cookie, shared by all tabs. Created at first use. */
function pageKey(): string {
  const known = browserStorage.get(storageKey)
  if (known !== null) {
    return known
  }
  const made = newSecret(32)
  return browserStorage.set(storageKey, made) ? made : unstored
}

/**
 * Header for every request to our server. A getter, since hub connections keep their headers object when the key
 * changes.
 */
export const pageHeaders: Record<string, string> = Object.defineProperty({}, pageKeyHeader, {
  get: pageKey,
  enumerable: true,
})

export const pageSocketProtocols = (): string[] => pageProtocols(pageKey())

/** Discards the key; the next sign-in creates another one. */
export function forgetPageKey(): void {
  unstored = newSecret(32)
  browserStorage.remove(storageKey)
}
