import { hashPassword, verifyPassword } from '../auth/passwords.ts'
import type { App, Principal } from '../context.ts'
import { invalid } from '../errors.ts'
import type { UserRow } from '../models/user.ts'
import { getUser } from './users.ts'

/** After so many wrong passwords in a row an account is locked for so long. */
const lockout = { failures: 5, durationMs: 5 * 60 * 1000 }

/** Addresses without an account whose failures are remembered; past that the oldest are forgotten. */
const maxStrangers = 10_000

type Attempts = Pick<UserRow, 'failedSignIns' | 'lockedUntil'>

const none: Attempts = { failedSignIns: 0, lockedUntil: null }

function afterFailure({ failedSignIns }: Attempts, now: number): Attempts {
  const failures = failedSignIns + 1
  return failures < lockout.failures
    ? { failedSignIns: failures, lockedUntil: null }
    : { failedSignIns: 0, lockedUntil: now + lockout.durationMs }
}

type PasswordCheck = { user: UserRow; isLockedOut: false } | { user: undefined; isLockedOut: boolean }

/**
 * Everything that a password opens. Attempts on one address run one after the other, so that many at once are no more
 * guesses than the lockout allows (T11). An address that nobody has locks like an account: unknown and wrong take the
 * same time and give the same answers (T12).
 */
export class SignIns {
  readonly #app: App
  readonly #lastTurn = new Map<string, Promise<unknown>>()
  readonly #strangers = new Map<string, Attempts>()

  constructor(app: App) {
    this.#app = app
  }

  /** Starts a session; its token is for the cookie. Without a user nobody was signed in. */
  signIn(email: string, password: string, isPersistent: boolean): Promise<PasswordCheck & { token?: string }> {
    return this.#inTurn(email, async () => {
      const check = await this.#check(email, password)
      if (!check.user) {
        return check
      }
      const lastLogin = this.#app.clock.now()
      await this.#update(check.user.id, { lastLogin })
      return { ...check, token: await this.#app.sessions.start(check.user, isPersistent) }
    })
  }

  /** Sets a new password after checking the current one, and ends every other session of the user. */
  async changePassword({ id, credential }: Principal, current: string, next: string): Promise<void> {
    const ownSession = 'session' in credential ? credential.session.tokenHash : undefined
    const { email } = await getUser(this.#app, id)
    await this.#inTurn(email, async () => {
      const { user, isLockedOut } = await this.#check(email, current)
      if (!user) {
        throw invalid({
          currentPassword: [
            isLockedOut ? 'was wrong too often; try again in 5 minutes' : 'is not your current password',
          ],
        })
      }
      await this.#update(id, { passwordHash: await hashPassword(next) })
      await this.#app.sessions.end(id, ({ tokenHash }) => tokenHash !== ownSession)
    })
  }

  /** While an address is locked the password is not even looked at. */
  async #check(email: string, password: string): Promise<PasswordCheck> {
    const { models, clock } = this.#app
    const user = (await models.User.findOne({ where: { email } }))?.get({ plain: true })
    const attempts = user ?? this.#strangers.get(email) ?? none
    if (attempts.lockedUntil !== null && attempts.lockedUntil > clock.now()) {
      return { user: undefined, isLockedOut: true }
    }
    const isRight = await verifyPassword(user?.passwordHash ?? undefined, password)
    if (user && isRight) {
      if (attempts.failedSignIns > 0 || attempts.lockedUntil !== null) {
        await this.#update(user.id, none)
      }
      return { user, isLockedOut: false }
    }
    const failed = afterFailure(attempts, clock.now())
    await (user ? this.#update(user.id, failed) : this.#rememberStranger(email, failed))
    return { user: undefined, isLockedOut: failed.lockedUntil !== null }
  }

  #update(id: string, values: Partial<UserRow>) {
    const { database, models } = this.#app
    return database.write((transaction) => models.User.update(values, { where: { id }, transaction }))
  }

  #rememberStranger(email: string, attempts: Attempts) {
    this.#strangers.delete(email)
    this.#strangers.set(email, attempts)
    const [oldest] = this.#strangers.keys()
    if (this.#strangers.size > maxStrangers && oldest !== undefined) {
      this.#strangers.delete(oldest)
    }
  }

  async #inTurn<T>(email: string, work: () => Promise<T>): Promise<T> {
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
