import { pageKeyHeader, pageProtocols } from '../../shared/page-key.ts'
import { newSecret } from './new-id.ts'

const storageKey = 'farhand.page-key'

/** Key of this tab alone, where the browser stores nothing for pages: its session ends with the tab. */
let unstored = newSecret(32)

/** Key that the sessions of this origin need besides their cookie; all tabs share it. Made at its first use. */
function pageKey(): string {
  try {
    const known = localStorage.getItem(storageKey)
    if (known !== null) {
      return known
    }
    const made = newSecret(32)
    localStorage.setItem(storageKey, made)
    return made
  } catch {
    return unstored
  }
}

/** Header for every request to our server. A getter, since hub connections keep their headers while keys change. */
export const pageHeaders: Record<string, string> = Object.defineProperty({}, pageKeyHeader, {
  get: pageKey,
  enumerable: true,
})

/** Subprotocols for every WebSocket to our server. */
export const pageSocketProtocols = (): string[] => pageProtocols(pageKey())

/** Has the next sign-in begin with another key. */
export function forgetPageKey(): void {
  unstored = newSecret(32)
  try {
    localStorage.removeItem(storageKey)
  } catch {
    // The storage was empty.
  }
}
