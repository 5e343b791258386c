import { Op, type Transaction } from 'sequelize'
import { issueTokens, type Tokens } from '../credentials/bearer.ts'
import { hashPassword, verifyPassword } from './password-hash.ts'
import { readTicket } from '../credentials/tickets.ts'
import { actorOfUser } from '../ground/actor.ts'
import type { AuditKind } from '../../shared/audit-kinds.ts'
import type { AuditEvent } from '../audit/event.ts'
import type { App, OpenCall, VisitorCall } from '../call/call.ts'
import type { UserRow } from '../people/tables.ts'
import type { Kept } from '../ground/principal.ts'
import { notifyOwner } from '../people/notices.ts'
import { changeCredentials, requireUnchanged } from './changed-credentials.ts'
import { endStrangerCredentials } from './first-mailed-password.ts'
import { userTarget } from '../people/users.ts'
import { endSignInsBeyondLimit } from './sessions.ts'
import { isMissing, useSecondFactor, type SecondFactor } from './second-factor.ts'
import { counterOfVisitor, noFailures, type Counter } from './lockout.ts'

/** Reason of a rejected sign-in, with the names of the stock identity endpoints where these have one. */
export type Refusal =
  | 'Failed'
  | 'LockedOut'
  | 'NotAllowed'
  | 'RequiresPasswordChange'
  | 'RequiresTwoFactor'
  | 'Disabled'
export type SignIn = { user: UserRow; refusal?: undefined } | { user?: undefined; refusal: Refusal }

/** Finds the user who signs in with an address. Transient users sign in with logon tokens only. */
export async function findByEmail({ models }: App, email: string): Promise<UserRow | undefined> {
  const where = { email, accountType: { [Op.ne]: 'External' } }
  // "Interactive" sorts before "Invited": of pending users, several tenants may have one with this address.
  const user = (await models.User.findOne({ where, order: ['accountType', 'createdAt'] }))?.get({ plain: true })
  // PostgreSQL ignores width and invisible characters: each spelling would have simultaneous guesses of its own (T11).
  return user?.email.toLowerCase() === email.toLowerCase() ? user : undefined
}

/** Checks a password. A locked counter rejects without verifying the password. */
export async function checkPassword(
  counter: Counter,
  user: UserRow | undefined,
  password: string,
): Promise<Refusal | undefined> {
  if (counter.isLocked()) {
    return 'LockedOut'
  }
  const isRight = await verifyPassword(user?.passwordHash ?? undefined, password)
  return user && isRight ? undefined : counter.fail()
}

/** Reason for rejecting a user who has proved an identity, whatever the way. */
export function refusalOf(
  { config }: App,
  { isEmailConfirmed, isPasswordChangeRequired, disabledAt }: UserRow,
): Refusal | undefined {
  if (disabledAt !== null) {
    return 'Disabled'
  }
  if (config.appOptions.requireUserEmailConfirmation && !isEmailConfirmed) {
    return 'NotAllowed'
  }
  return isPasswordChangeRequired ? 'RequiresPasswordChange' : undefined
}

/** Checks a code where the account asks for one. */
export async function checkSecondFactor(
  app: App,
  counter: Counter,
  user: UserRow,
  factor: SecondFactor,
): Promise<Refusal | undefined> {
  if (!user.isTwoFactorEnabled) {
    return undefined
  }
  // A right password alone does not reset the count: an attacker who knows the password could guess codes without
  // limit.
  if (isMissing(factor)) {
    return 'RequiresTwoFactor'
  }
  return (await useSecondFactor(app, user, factor)) ? undefined : counter.fail()
}

/**
 * Reason for rejecting a user after the first factor. A disabled account is reported after the second factor only
 * (T12).
 */
export async function refusalWithFactor(app: App, counter: Counter, user: UserRow, factor: SecondFactor) {
  const refusal = refusalOf(app, user)
  return refusal === undefined || refusal === 'Disabled'
    ? ((await checkSecondFactor(app, counter, user, factor)) ?? refusal)
    : refusal
}

/** Sets a new password and clears a lock caused by wrong passwords. */
export async function setPassword(
  { app, actor }: OpenCall,
  user: UserRow,
  password: string,
  { kept, way = 'password' }: { kept?: Kept; way?: 'password' | 'mailed code' } = {},
): Promise<void> {
  const passwordHash = await hashPassword(password)
  const isMailed = way === 'mailed code'
  const changes = {
    ...noFailures,
    passwordHash,
    isPasswordChangeRequired: false,
    ...(isMailed && { isUnproven: false }),
  }
  await changeCredentials(app, user.id, changes, {
    kept,
    // An administrator may have reset the password while this one was hashed.
    checked: user,
    together: async (transaction) => {
      if (isMailed && user.isUnproven) {
        await endStrangerCredentials({ app, actor }, transaction, user.id)
      }
      await notifyOwner(app, transaction, user, { kind: 'password-changed', subject: null, by: kept })
      await app.audit.recordIn(transaction, actorOfUser(actor, user), [
        { kind: 'account.password-changed', target: userTarget(user), details: { way } },
      ])
    },
  })
}

/** Records the failed attempt of a visitor on an account. Text of an unknown address may be a password, and is not kept. */
const recordFailure = (
  { app, actor }: OpenCall,
  kind: Extract<AuditKind, 'sign-in.password' | 'account.password-changed'>,
  user: UserRow | undefined,
  reason: string,
) =>
  app.audit.record(actor, {
    kind,
    outcome: 'failure',
    tenantId: user?.tenantId ?? null,
    target: userTarget(user),
    details: { reason },
  })

/*
 * Sign-in of visitors with a password, a second factor or a mailed code. Attempts on one address are serialized, so
 * that concurrent attempts get no more guesses than the lockout allows (T11). An unknown address locks like an account,
 * and gets the answers and the response time of a wrong password (T12).
 */

type Visitor =
  | { user: UserRow; counter: Counter; refusal?: undefined }
  | { user: UserRow | undefined; refusal: Refusal }

/** Finds the user by address and password, with the counter of further wrong answers. */
async function visitorWith({ app, browser }: VisitorCall, email: string, password: string): Promise<Visitor> {
  const user = await findByEmail(app, email)
  const counter = counterOfVisitor(app, email, user, browser.idFor)
  const wrong = await checkPassword(counter, user, password)
  return !user || wrong ? { user, refusal: wrong ?? 'Failed' } : { user, counter }
}

/** Checks a sign-in in the order of docs/http.md, "Signing in". */
export const signIn = (call: VisitorCall, email: string, password: string, factor: SecondFactor): Promise<SignIn> =>
  call.app.signInAttempts.serialize(email, async () => {
    const { app } = call
    const visitor = await visitorWith(call, email, password)
    if (visitor.refusal) {
      await recordFailure(call, 'sign-in.password', visitor.user, visitor.refusal)
      return { refusal: visitor.refusal }
    }
    const { user, counter } = visitor
    const refusal = await refusalWithFactor(app, counter, user, factor)
    if (refusal) {
      // The first of the two steps of a sign-in with a code is no failure.
      if (refusal !== 'RequiresTwoFactor') {
        await recordFailure(call, 'sign-in.password', user, refusal)
      }
      return { refusal }
    }
    await counter.clear()
    return noteSignIn(call, user, { kind: 'sign-in.password', details: { secondFactor: user.isTwoFactorEnabled } })
  })

/** Stores the time of a sign-in, with a row in the audit log. */
export async function noteSignIn({ app, actor }: VisitorCall, user: UserRow, event: AuditEvent): Promise<SignIn> {
  const lastLogin = app.clock.now()
  await app.database.write(async (transaction) => {
    await app.models.User.update({ lastLogin }, { where: { id: user.id }, transaction })
    await app.audit.recordIn(transaction, actorOfUser(actor, user), [event])
  })
  return { user }
}

/** Makes room for a sign-in. Throws 401 when the user's credentials changed after they were checked. */
const beforeSignIn =
  (app: App, user: UserRow, table: 'sessions' | 'token_families') => async (transaction: Transaction) => {
    await Promise.all([
      requireUnchanged(app, transaction, user),
      endSignInsBeyondLimit(app, transaction, table, user.id),
    ])
  }

/**
 * Starts a session for a signed-in user: the response carries its cookie, and the browser becomes known to the account.
 * A session of our own page is bound to the key of that page.
 */
export async function startSession(
  { app, browser, setSession, pageKey, remoteAddress, userAgent }: VisitorCall,
  user: UserRow,
  { isPersistent }: { isPersistent: boolean },
): Promise<void> {
  const from = { remoteAddress, userAgent }
  const token = await app.sessions.begin(user.id, { isPersistent, pageKey, from }, beforeSignIn(app, user, 'sessions'))
  setSession(token, isPersistent)
  browser.remember(user.id)
}

/** Issues bearer tokens for a signed-in user. */
export const startTokens = (call: VisitorCall, user: UserRow): Promise<Tokens> =>
  issueTokens(call.app, user, call, beforeSignIn(call.app, user, 'token_families'))

/** Sets a new password for a visitor who proves the current one, and the second factor where the account has one. */
export const changePasswordOf = (
  call: VisitorCall,
  email: string,
  { current, next, factor }: { current: string; next: string; factor: SecondFactor },
): Promise<{ refusal?: Refusal | undefined; at: 'password' | 'secondFactor' }> =>
  call.app.signInAttempts.serialize(email, async () => {
    const { app } = call
    const visitor = await visitorWith(call, email, current)
    if (visitor.refusal) {
      await recordFailure(call, 'account.password-changed', visitor.user, visitor.refusal)
      return { refusal: visitor.refusal, at: 'password' }
    }
    const { user, counter } = visitor
    const wrong = await checkSecondFactor(app, counter, user, factor)
    const refusal = wrong ?? (user.disabledAt === null ? undefined : 'Disabled')
    if (refusal) {
      await recordFailure(call, 'account.password-changed', user, refusal)
    } else {
      await counter.clear()
      await setPassword(call, user, next)
    }
    return { refusal, at: 'secondFactor' }
  })

/**
 * Sets a new password with a mailed code; returns false for a wrong code. Works during a lock, because mailed codes
 * cannot be guessed. A wrong code counts like a wrong password, for unknown addresses too.
 */
export const setPasswordWithCode = (call: VisitorCall, email: string, code: string, next: string): Promise<boolean> =>
  call.app.signInAttempts.serialize(email, async () => {
    const { app, browser } = call
    const user = await findByEmail(app, email)
    const counter = counterOfVisitor(app, email, user, browser.idFor)
    if (user?.disabledAt === null && readTicket(app, 'reset-password', code)?.userId === user.id) {
      await setPassword(call, user, next, { way: 'mailed code' })
      await counter.clear()
      return true
    }
    // Takes as long as the hash of a new password, so that the response time does not reveal the reason.
    await verifyPassword(undefined, next)
    if (!counter.isLocked()) {
      await counter.fail()
    }
    await recordFailure(call, 'account.password-changed', user, 'wrong mailed code')
    return false
  })
