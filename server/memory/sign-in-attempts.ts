import type { UserRow } from '../models/user.ts'

export type Attempts = Pick<UserRow, 'failedSignIns' | 'lockedUntil'>

/** Addresses without an account whose failures are remembered; past that the oldest are forgotten. */
const maxStrangers = 10_000

/** Attempts to sign in: their turns by address, and the failures at addresses that have no account to count them in. */
export class SignInAttempts {
  readonly #lastTurn = new Map<string, Promise<unknown>>()
  readonly #strangers = new Map<string, Attempts>()

  /** The failures at an address without an account. */
  ofStranger(address: string): Attempts | undefined {
    return this.#strangers.get(address.toLowerCase())
  }

  rememberStranger(address: string, attempts: Attempts): void {
    const email = address.toLowerCase()
    this.#strangers.delete(email)
    this.#strangers.set(email, attempts)
    const [oldest] = this.#strangers.keys()
    if (this.#strangers.size > maxStrangers && oldest !== undefined) {
      this.#strangers.delete(oldest)
    }
  }

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
