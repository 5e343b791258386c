import { KeyedMutex } from '../../shared/mutex.ts'
import type { UserRow } from '../people/tables.ts'
import { RecentEntries } from '../ground/recent-entries.ts'

export type Attempts = Pick<UserRow, 'failedSignIns' | 'lockedUntil'>

/** Maximum number of counted names, per kind; beyond it the oldest are evicted. */
const maxCounts = 10_000

/** Attempts to sign in: a mutex per address, and failures not counted by an account. */
export class SignInAttempts {
  readonly #attempts = new KeyedMutex()
  /** Failures at addresses without an account. Separate, so that strangers cannot evict the others. */
  readonly strangers = new RecentEntries<Attempts>(maxCounts)
  /** Failures of browsers and credentials that belong to an account. */
  readonly known = new RecentEntries<Attempts>(maxCounts)

  /** Serializes attempts per address, so that simultaneous guesses count like consecutive guesses. */
  serialize<T>(address: string, work: () => Promise<T>): Promise<T> {
    return this.#attempts.run(address.toLowerCase(), work)
  }
}
