import type { App } from '../../call.ts'
import type { Attempts } from '../../live/sign-in-attempts.ts'
import type { Credential } from '../../principal.ts'
import type { UserRow } from '../../models/user.ts'

/** After so many wrong answers in a row no more are looked at for so long. */
const lockout = { failures: 5, durationMs: 5 * 60 * 1000 }

export const noFailures: Attempts = { failedSignIns: 0, lockedUntil: null }

/**
 * Where wrong answers are counted: for whoever knows nothing but an address in the account itself; apart from that for
 * each browser that has signed in to it before, for each session, and for the personal tokens of a user. So nobody locks
 * out the owner of an account by guessing at it, and whoever steals a credential has no more guesses than others.
 */
export interface Counter {
  isLocked(): boolean
  /** Counts a wrong answer, and tells whether this one locks. */
  fail(): Promise<'Failed' | 'LockedOut'>
  /** A right answer starts the count anew. */
  clear(): Promise<void>
}

interface Store {
  attempts: Attempts
  write(attempts: Attempts): void | Promise<unknown>
}

function counterOver({ clock, log }: App, { attempts, write }: Store, about: object): Counter {
  return {
    isLocked: () => attempts.lockedUntil !== null && attempts.lockedUntil > clock.now(),
    async fail() {
      const failures = attempts.failedSignIns + 1
      if (failures < lockout.failures) {
        await write({ failedSignIns: failures, lockedUntil: null })
        return 'Failed'
      }
      await write({ failedSignIns: 0, lockedUntil: clock.now() + lockout.durationMs })
      log.warn(about, 'Too many wrong answers: no more are looked at for a while.')
      return 'LockedOut'
    },
    async clear() {
      if (attempts.failedSignIns > 0 || attempts.lockedUntil !== null) {
        await write(noFailures)
      }
    },
  }
}

const named = (counts: App['signInAttempts']['known'], name: string): Store => ({
  attempts: counts.get(name) ?? noFailures,
  write: (attempts) => void (attempts === noFailures ? counts.delete(name) : counts.set(name, attempts)),
})

const inAccount = ({ database, models }: App, user: UserRow): Store => ({
  attempts: user,
  write: (attempts) =>
    database.write((transaction) => models.User.update(attempts, { where: { id: user.id }, transaction })),
})

/** At an address without an account as much goes to the disk as at one with: the time does not tell them apart (T12). */
const atStranger = ({ database, signInAttempts }: App, email: string): Store => {
  const { attempts, write } = named(signInAttempts.strangers, email.toLowerCase())
  return {
    attempts,
    write: (next) => {
      void write(next)
      return database.write((transaction) =>
        database.sequelize.query('UPDATE server_state SET hasHadUsers = hasHadUsers', { transaction }),
      )
    },
  }
}

/** The counter of a visitor who names an address; `browserOf` finds the id of a browser that knows the account. */
export function counterOfVisitor(
  app: App,
  email: string,
  user: UserRow | undefined,
  browserOf: (userId: string) => string | undefined,
): Counter {
  if (!user) {
    return counterOver(app, atStranger(app, email), {})
  }
  const browser = browserOf(user.id)
  const store = browser === undefined ? inAccount(app, user) : named(app.signInAttempts.known, `${browser} ${user.id}`)
  return counterOver(app, store, { userId: user.id, isKnownBrowser: browser !== undefined })
}

/** Personal tokens count together: whoever has one can make more of them. */
const nameOf = (userId: string, credential: Credential) =>
  'sessionId' in credential
    ? credential.sessionId
    : 'familyId' in credential
      ? credential.familyId
      : `${credential.kind} ${userId}`

/** The counter of what somebody is signed in with. */
export const counterOfCredential = (app: App, userId: string, credential: Credential): Counter =>
  counterOver(app, named(app.signInAttempts.known, nameOf(userId, credential)), { userId, credential: credential.kind })
