import type { App } from '../call/call.ts'
import type { Attempts } from './sign-in-attempts.ts'
import type { Credential } from '../ground/principal.ts'
import type { UserRow } from '../people/tables.ts'

/** Lock for 5 minutes after 5 consecutive failures. */
const lockout = { failures: 5, durationMs: 5 * 60 * 1000 }

export const noFailures: Attempts = { failedSignIns: 0, lockedUntil: null }

/**
 * Counter of wrong answers. Anonymous guesses are counted in the account itself; known browsers, sessions and a user's
 * personal tokens have separate counters. So guesses of strangers do not lock out the account's owner, and a stolen
 * credential gets no extra guesses.
 */
export interface Counter {
  isLocked(): boolean
  /** Counts a wrong answer, and returns whether this one locks. */
  fail(): Promise<'Failed' | 'LockedOut'>
  /** Resets the count after a right answer. */
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
      log.warn(about, 'Too many wrong answers: locked for 5 minutes.')
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

/**
 * Writes as much to the disk for an unknown address as for an account, so that the response time does not differ (T12).
 */
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

const browserKey = (browser: string, userId: string) => `${browser} ${userId}`

const isOfBrowser = (name: string, userId: string) => name.endsWith(browserKey('', userId))

/** End of the longest lock of a user: of the account, or of a browser known to it. Null for none. */
export function lockedUntil({ clock, signInAttempts }: App, user: Pick<UserRow, 'id' | 'lockedUntil'>): number | null {
  const ofBrowsers = [...signInAttempts.known].filter(([name]) => isOfBrowser(name, user.id))
  const latest = Math.max(user.lockedUntil ?? 0, ...ofBrowsers.map(([, attempts]) => attempts.lockedUntil ?? 0))
  return latest > clock.now() ? latest : null
}

/** Resets the counts of browsers that are known to a user. */
export function forgetFailures({ signInAttempts: { known } }: App, userId: string): void {
  ;[...known.keys()].filter((name) => isOfBrowser(name, userId)).forEach((name) => known.delete(name))
}

/** Counter for a visitor who sends an address; `browserOf` finds the id of a browser that is known to the account. */
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
  const store =
    browser === undefined ? inAccount(app, user) : named(app.signInAttempts.known, browserKey(browser, user.id))
  return counterOver(app, store, { userId: user.id, isKnownBrowser: browser !== undefined })
}

/** Personal tokens of a user share one counter: a token can make further tokens. */
const nameOf = (userId: string, credential: Credential) =>
  'sessionId' in credential
    ? credential.sessionId
    : 'familyId' in credential
      ? credential.familyId
      : `${credential.kind} ${userId}`

/** Counter of codes after a provider vouched for a linked account: guesses at the password do not lock it. */
export const counterOfLogin = (app: App, userId: string, loginId: string): Counter =>
  counterOver(app, named(app.signInAttempts.known, loginId), { userId, loginId })

/** Counter of a signed-in user's credential. */
export const counterOfCredential = (app: App, userId: string, credential: Credential): Counter =>
  counterOver(app, named(app.signInAttempts.known, nameOf(userId, credential)), { userId, credential: credential.kind })
