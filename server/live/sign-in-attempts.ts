import type { UserRow } from '../models/user.ts'
import { RecentEntries } from './recent-entries.ts'

export type Attempts = Pick<UserRow, 'failedSignIns' | 'lockedUntil'>

/** Failures that are remembered by one name, and of one kind; past that the oldest are forgotten. */
const maxCounts = 10_000

/** Attempts to sign in: their turns by address, and the failures that no account counts. */
export class SignInAttempts {
  readonly #lastTurn = new Map<string, Promise<unknown>>()
  /** At addresses without an account. Apart from the others, which strangers must not push out. */
  readonly strangers = new RecentEntries<Attempts>(maxCounts)
  /** Of browsers and credentials that belong to an account. */
  readonly known = new RecentEntries<Attempts>(maxCounts)

  /** Runs attempts on one address one after the other, so that simultaneous guesses count like consecutive ones. */
  async inTurn<T>(address: string, work: () => Promise<T>): Promise<T> {
    const email = address.toLowerCase()
    const before = this.#lastTurn.get(email) ?? Promise.resolve()
    const turn = before.then(work)
    const ended = turn.catch(() => undefined)
    this.#lastTurn.set(email, ended)
    try {
      return await turn
    } finally {
      if (this.#lastTurn.get(email) === ended) {
        this.#lastTurn.delete(email)
      }
    }
  }
}
