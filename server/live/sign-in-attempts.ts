import { KeyedMutex } from '../../shared/mutex.ts'
import type { UserRow } from '../models/user.ts'
import { RecentEntries } from './recent-entries.ts'

export type Attempts = Pick<UserRow, 'failedSignIns' | 'lockedUntil'>

/** Failures that are remembered by one name, and of one kind; past that the oldest are forgotten. */
const maxCounts = 10_000

/** Attempts to sign in: one at a time for each address, and the failures that no account counts. */
export class SignInAttempts {
  readonly #attempts = new KeyedMutex()
  /** At addresses without an account. Apart from the others, which strangers must not push out. */
  readonly strangers = new RecentEntries<Attempts>(maxCounts)
  /** Of browsers and credentials that belong to an account. */
  readonly known = new RecentEntries<Attempts>(maxCounts)

  /** Runs attempts on one address one at a time, so that simultaneous guesses count like consecutive ones. */
  serialize<T>(address: string, work: () => Promise<T>): Promise<T> {
    return this.#attempts.run(address.toLowerCase(), work)
  }
}
