import { Op } from 'sequelize'
import { hashPassword, verifyPassword } from '../../auth/passwords.ts'
import { readTicket } from '../../auth/tickets.ts'
import type { App, OpenCall } from '../../call.ts'
import { unauthorized } from '../../errors.ts'
import type { Attempts } from '../../memory/sign-in-attempts.ts'
import type { Principal } from '../../principal.ts'
import type { UserRow } from '../../models/user.ts'
import { changeCredentials } from './changed-credentials.ts'
import { isMissing, useSecondFactor, type SecondFactor } from './second-factor.ts'
import { getUser } from './users.ts'

/** After so many wrong answers in a row an account is locked for so long. */
const lockout = { failures: 5, durationMs: 5 * 60 * 1000 }

/** Why a sign-in was refused, in the words of the stock identity endpoints where they have one. */
export type Refusal = 'Failed' | 'LockedOut' | 'NotAllowed' | 'RequiresPasswordChange' | 'RequiresTwoFactor'
export type SignIn = { user: UserRow; refusal?: undefined } | { user?: undefined; refusal: Refusal }

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

const sessionIdOf = ({ credential }: Principal) => ('sessionId' in credential ? credential.sessionId : undefined)

const isLocked = ({ clock }: App, { lockedUntil }: Attempts): boolean =>
  lockedUntil !== null && lockedUntil > clock.now()

const update = ({ database, models }: App, id: string, values: Partial<UserRow>) =>
  database.write((transaction) => models.User.update(values, { where: { id }, transaction }))

/** Counts a wrong answer. The one that locks an account ends all that is signed in to it. */
async function fail(app: App, email: string, user: UserRow | undefined): Promise<'Failed' | 'LockedOut'> {
  const attempts = user ?? app.signInAttempts.ofStranger(email) ?? none
  const failed = afterFailure(attempts, app.clock.now())
  const locks = failed.lockedUntil !== null
  if (!user) {
    app.signInAttempts.rememberStranger(email, failed)
  } else if (locks) {
    await changeCredentials(app, user.id, failed)
    app.log.warn({ userId: user.id }, 'An account was locked after too many wrong answers.')
  } else {
    await update(app, user.id, failed)
  }
  return locks ? 'LockedOut' : 'Failed'
}

/** While an address is locked the password is not even looked at. */
async function checkPassword(app: App, email: string, password: string): Promise<SignIn> {
  const user = await findByEmail(app, email)
  const attempts = user ?? app.signInAttempts.ofStranger(email) ?? none
  if (isLocked(app, attempts)) {
    return { refusal: 'LockedOut' }
  }
  const isRight = await verifyPassword(user?.passwordHash ?? undefined, password)
  return user && isRight ? { user } : { refusal: await fail(app, email, user) }
}

function refusalOf({ config }: App, { isEmailConfirmed, isPasswordChangeRequired }: UserRow): Refusal | undefined {
  if (config.appOptions.requireUserEmailConfirmation && !isEmailConfirmed) {
    return 'NotAllowed'
  }
  return isPasswordChangeRequired ? 'RequiresPasswordChange' : undefined
}

async function checkSecondFactor(app: App, user: UserRow, factor: SecondFactor): Promise<Refusal | undefined> {
  if (!user.isTwoFactorEnabled) {
    return undefined
  }
  // A right password alone does not reset the count: whoever knows it could guess codes without limit.
  if (isMissing(factor)) {
    return 'RequiresTwoFactor'
  }
  return (await useSecondFactor(app, user, factor)) ? undefined : fail(app, user.email, user)
}

async function setPassword(app: App, { id }: UserRow, password: string, keptSession?: string) {
  const passwordHash = await hashPassword(password)
  const changes = { ...none, passwordHash, isPasswordChangeRequired: false }
  await changeCredentials(app, id, changes, { keptSession })
}

/*
 * Everything that a password, a second factor or a mailed code opens. Attempts on one address run one after the other, so
 * that many at once are no more guesses than the lockout allows (T11). An unknown address locks like an account:
 * unknown and wrong take the same time and give the same answers (T12).
 */

/** Checks all that signing in asks for, in the order of docs/http.md, "Signing in". */
export const signIn = ({ app }: OpenCall, email: string, password: string, factor: SecondFactor): Promise<SignIn> =>
  app.signInAttempts.inTurn(email, async () => {
    const check = await checkPassword(app, email, password)
    if (!check.user) {
      return check
    }
    const refusal = refusalOf(app, check.user) ?? (await checkSecondFactor(app, check.user, factor))
    if (refusal) {
      return { refusal }
    }
    await update(app, check.user.id, { ...none, lastLogin: app.clock.now() })
    return check
  })

/**
 * Starts a session for somebody who has signed in, and returns its token for the cookie. Throws 401 when what they
 * signed in with was changed meanwhile.
 */
export const startSession = (
  { app }: OpenCall,
  { id, securityStamp }: UserRow,
  isPersistent: boolean,
): Promise<string> =>
  app.sessions.begin(id, isPersistent, async (transaction) => {
    if ((await app.models.User.count({ where: { id, securityStamp }, transaction })) === 0) {
      throw unauthorized('What you signed in with was changed meanwhile. Sign in again.')
    }
  })

/** Sets a new password after checking the current one. Every other session of the user ends. */
export async function changePassword(
  { app }: OpenCall,
  principal: Principal,
  current: string,
  next: string,
): Promise<Refusal | undefined> {
  const { email } = await getUser({ app }, principal.id)
  return app.signInAttempts.inTurn(email, async () => {
    const { user, refusal } = await checkPassword(app, email, current)
    if (user) {
      await setPassword(app, user, next, sessionIdOf(principal))
    }
    return refusal
  })
}

/** The same for somebody who is not signed in, with the second factor where there is one. */
export const changePasswordOf = (
  { app }: OpenCall,
  email: string,
  { current, next, factor }: { current: string; next: string; factor: SecondFactor },
): Promise<{ refusal?: Refusal | undefined; at: 'password' | 'secondFactor' }> =>
  app.signInAttempts.inTurn(email, async () => {
    const { user, refusal } = await checkPassword(app, email, current)
    if (!user) {
      return { refusal, at: 'password' }
    }
    const refused = await checkSecondFactor(app, user, factor)
    if (!refused) {
      await setPassword(app, user, next)
    }
    return { refusal: refused, at: 'secondFactor' }
  })

/** Sets a new password with a mailed code. */
export const setPasswordWithCode = (
  { app }: OpenCall,
  email: string,
  code: string,
  next: string,
): Promise<'InvalidToken' | 'UnknownUser' | undefined> =>
  app.signInAttempts.inTurn(email, async () => {
    const user = await findByEmail(app, email)
    const ticket = readTicket(app, 'reset-password', code)
    if (user && !isLocked(app, user) && ticket?.userId === user.id) {
      await setPassword(app, user, next)
      return undefined
    }
    // As long as the hash of a new password: the time tells nobody what was wrong.
    await verifyPassword(undefined, next)
    if (user && !isLocked(app, user)) {
      await fail(app, email, user)
    }
    return user ? 'InvalidToken' : 'UnknownUser'
  })

/** Uses up a code of a signed-in user's authenticator app. A wrong one counts like a wrong password. */
export async function proveAppCode({ app }: OpenCall, userId: string, twoFactorCode: string): Promise<boolean> {
  const { email } = await getUser({ app }, userId)
  return app.signInAttempts.inTurn(email, async () => {
    const user = await getUser({ app }, userId)
    if (isLocked(app, user)) {
      return false
    }
    const isRight = await useSecondFactor(app, user, { twoFactorCode })
    if (!isRight) {
      await fail(app, email, user)
    }
    return isRight
  })
}
