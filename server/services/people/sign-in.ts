import { Op } from 'sequelize'
import { hashPassword, verifyPassword } from '../../auth/passwords.ts'
import { readTicket } from '../../auth/tickets.ts'
import type { App, Principal } from '../../context.ts'
import type { UserRow } from '../../models/user.ts'
import { changeCredentials } from './changed-credentials.ts'
import { isMissing, useSecondFactor, type SecondFactor } from './second-factor.ts'
import { getUser } from './users.ts'

/** After so many wrong answers in a row an account is locked for so long. */
const lockout = { failures: 5, durationMs: 5 * 60 * 1000 }

/** Addresses without an account whose failures are remembered; past that the oldest are forgotten. */
const maxStrangers = 10_000

/** Why somebody was not let in, in the words of the stock identity endpoints where they have one. */
export type Refusal = 'Failed' | 'LockedOut' | 'NotAllowed' | 'RequiresPasswordChange' | 'RequiresTwoFactor'
export type SignIn = { user: UserRow; refusal?: undefined } | { user?: undefined; refusal: Refusal }

type Attempts = Pick<UserRow, 'failedSignIns' | 'lockedUntil'>

const none: Attempts = { failedSignIns: 0, lockedUntil: null }

function afterFailure({ failedSignIns }: Attempts, now: number): Attempts {
  const failures = failedSignIns + 1
  return failures < lockout.failures
    ? { failedSignIns: failures, lockedUntil: null }
    : { failedSignIns: 0, lockedUntil: now + lockout.durationMs }
}

/** Who signs in with an address. Transient users come through logon tokens only. */
export async function findByEmail({ models }: App, email: string): Promise<UserRow | undefined> {
  const where = { email, accountType: { [Op.ne]: 'External' } }
  return (await models.User.findOne({ where, order: ['createdAt'] }))?.get({ plain: true })
}

const sessionOf = ({ credential }: Principal) => ('session' in credential ? credential.session.tokenHash : undefined)

/**
 * Everything that a password, a second factor or a mailed code opens. Attempts on one address run one after the other, so
 * that many at once are no more guesses than the lockout allows (T11). An address that nobody has locks like an account:
 * unknown and wrong take the same time and give the same answers (T12).
 */
export class SignIns {
  readonly #app: App
  readonly #lastTurn = new Map<string, Promise<unknown>>()
  readonly #strangers = new Map<string, Attempts>()

  constructor(app: App) {
    this.#app = app
  }

  /** Checks all that signing in asks for, in the order of the contract's `rest.md` section 2.1. */
  signIn(email: string, password: string, factor: SecondFactor): Promise<SignIn> {
    return this.#inTurn(email, async () => {
      const check = await this.#checkPassword(email, password)
      if (!check.user) {
        return check
      }
      const refusal = this.#refusalOf(check.user) ?? (await this.#checkSecondFactor(check.user, factor))
      if (refusal) {
        return { refusal }
      }
      await this.#update(check.user.id, { ...none, lastLogin: this.#app.clock.now() })
      return check
    })
  }

  /** Starts a session for somebody who has signed in, and returns its token for the cookie. */
  async startSession(user: UserRow, isPersistent: boolean): Promise<string> {
    const { accounts, sessions } = this.#app
    const token = await sessions.start(user, isPersistent)
    if ((await accounts.find(user.id))?.securityStamp !== user.securityStamp) {
      // What they signed in with was changed meanwhile.
      await sessions.end(user.id, () => true)
    }
    return token
  }

  /** Sets a new password after checking the current one. Every other session of the user ends. */
  async changePassword(principal: Principal, current: string, next: string): Promise<Refusal | undefined> {
    const { email } = await getUser(this.#app, principal.id)
    return this.#inTurn(email, async () => {
      const { user, refusal } = await this.#checkPassword(email, current)
      if (user) {
        await this.#setPassword(user, next, sessionOf(principal))
      }
      return refusal
    })
  }

  /** The same for somebody who is not signed in, with the second factor where there is one. */
  changePasswordOf(
    email: string,
    { current, next, factor }: { current: string; next: string; factor: SecondFactor },
  ): Promise<{ refusal?: Refusal | undefined; at: 'password' | 'secondFactor' }> {
    return this.#inTurn(email, async () => {
      const { user, refusal } = await this.#checkPassword(email, current)
      if (!user) {
        return { refusal, at: 'password' }
      }
      const refused = await this.#checkSecondFactor(user, factor)
      if (!refused) {
        await this.#setPassword(user, next)
      }
      return { refusal: refused, at: 'secondFactor' }
    })
  }

  /** Sets a new password with a mailed code. */
  resetPassword(email: string, code: string, next: string): Promise<'InvalidToken' | 'UnknownUser' | undefined> {
    return this.#inTurn(email, async () => {
      const user = await findByEmail(this.#app, email)
      const ticket = await readTicket(this.#app, 'reset-password', code)
      if (user && !this.#isLocked(user) && ticket?.userId === user.id) {
        await this.#setPassword(user, next)
        return undefined
      }
      // As long as the hash of a new password: the time tells nobody what was wrong.
      await verifyPassword(undefined, next)
      if (user && !this.#isLocked(user)) {
        await this.#fail(email, user)
      }
      return user ? 'InvalidToken' : 'UnknownUser'
    })
  }

  /** Uses up a code of a signed-in user's authenticator app. A wrong one counts like a wrong password. */
  async proveAppCode(userId: string, twoFactorCode: string): Promise<boolean> {
    const { email } = await getUser(this.#app, userId)
    return this.#inTurn(email, async () => {
      const user = await getUser(this.#app, userId)
      if (this.#isLocked(user)) {
        return false
      }
      const isRight = await useSecondFactor(this.#app, user, { twoFactorCode })
      if (!isRight) {
        await this.#fail(email, user)
      }
      return isRight
    })
  }

  /** While an address is locked the password is not even looked at. */
  async #checkPassword(email: string, password: string): Promise<SignIn> {
    const user = await findByEmail(this.#app, email)
    const attempts = user ?? this.#strangers.get(email.toLowerCase()) ?? none
    if (this.#isLocked(attempts)) {
      return { refusal: 'LockedOut' }
    }
    const isRight = await verifyPassword(user?.passwordHash ?? undefined, password)
    return user && isRight ? { user } : { refusal: await this.#fail(email, user) }
  }

  #refusalOf({ isEmailConfirmed, isPasswordChangeRequired }: UserRow): Refusal | undefined {
    if (this.#app.config.appOptions.requireUserEmailConfirmation && !isEmailConfirmed) {
      return 'NotAllowed'
    }
    return isPasswordChangeRequired ? 'RequiresPasswordChange' : undefined
  }

  async #checkSecondFactor(user: UserRow, factor: SecondFactor): Promise<Refusal | undefined> {
    if (!user.isTwoFactorEnabled) {
      return undefined
    }
    // A right password alone does not start the count anew: whoever has it would have all the guesses of a code.
    if (isMissing(factor)) {
      return 'RequiresTwoFactor'
    }
    return (await useSecondFactor(this.#app, user, factor)) ? undefined : this.#fail(user.email, user)
  }

  #isLocked({ lockedUntil }: Attempts): boolean {
    return lockedUntil !== null && lockedUntil > this.#app.clock.now()
  }

  /** Counts a wrong answer. The one that locks an account ends all that is signed in to it. */
  async #fail(email: string, user: UserRow | undefined): Promise<'Failed' | 'LockedOut'> {
    const failed = afterFailure(user ?? this.#strangers.get(email.toLowerCase()) ?? none, this.#app.clock.now())
    const isLocked = failed.lockedUntil !== null
    if (!user) {
      this.#rememberStranger(email, failed)
    } else if (isLocked) {
      await changeCredentials(this.#app, user.id, failed)
      this.#app.log.warn({ userId: user.id }, 'An account was locked after too many wrong answers.')
    } else {
      await this.#update(user.id, failed)
    }
    return isLocked ? 'LockedOut' : 'Failed'
  }

  async #setPassword({ id }: UserRow, password: string, keptSession?: string) {
    const passwordHash = await hashPassword(password)
    const changes = { ...none, passwordHash, isPasswordChangeRequired: false }
    await changeCredentials(this.#app, id, changes, { keptSession })
  }

  #update(id: string, values: Partial<UserRow>) {
    const { database, models } = this.#app
    return database.write((transaction) => models.User.update(values, { where: { id }, transaction }))
  }

  #rememberStranger(address: string, attempts: Attempts) {
    const email = address.toLowerCase()
    this.#strangers.delete(email)
    this.#strangers.set(email, attempts)
    const [oldest] = this.#strangers.keys()
    if (this.#strangers.size > maxStrangers && oldest !== undefined) {
      this.#strangers.delete(oldest)
    }
  }

  async #inTurn<T>(address: string, work: () => Promise<T>): Promise<T> {
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
