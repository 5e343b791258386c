import type { Transaction } from 'sequelize'
import { dayMs, minuteMs } from '../../shared/durations.ts'
import { lockout } from '../../shared/dtos/user.ts'
import type { App, OpenCall } from '../call/call.ts'
import { deleteWhere } from '../engines/database/delete-where.ts'
import type { Credential } from '../ground/principal.ts'
import type { UserRow } from '../people/tables.ts'
import type { WrongAnswerRow } from './tables.ts'

/** Time for which counts are kept that nothing changes. */
const keptMs = 30 * dayMs

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

type Attempts = Pick<UserRow, 'failedSignIns' | 'lockedUntil'>

/** Place that counts attempts. */
interface Store {
  attempts: Attempts
  /** Stores what follows from the attempts of now, those at other servers included; resolves with it. */
  change(next: (before: Attempts) => Attempts): Promise<Attempts>
}

function counterOver({ clock, log }: App, { attempts, change }: Store, about: object): Counter {
  const isLocked = ({ lockedUntil }: Attempts) => lockedUntil !== null && lockedUntil > clock.now()
  const afterFailure = (before: Attempts): Attempts => {
    const failedSignIns = before.failedSignIns + 1
    if (isLocked(before)) {
      return before
    }
    return failedSignIns < lockout.failures
      ? { failedSignIns, lockedUntil: null }
      : { failedSignIns: 0, lockedUntil: clock.now() + lockout.minutes * minuteMs }
  }
  return {
    isLocked: () => isLocked(attempts),
    async fail() {
      if (!isLocked(await change(afterFailure))) {
        return 'Failed'
      }
      log.warn(about, `Too many wrong answers: locked for ${lockout.minutes} minutes.`)
      return 'LockedOut'
    },
    async clear() {
      if (attempts.failedSignIns > 0 || attempts.lockedUntil !== null) {
        await change(() => noFailures)
      }
    },
  }
}

/** Maximum rows of strangers, and per kind and user. The oldest are removed; no user evicts rows of another. */
const mostRows = { ofStrangers: 10_000, ofUser: 100 }

/** Statement for the rows beyond the newest; both forms of its condition use the index. */
const removeBeyondSql = (userId: string | null) => `DELETE FROM wrong_answers WHERE id IN (
  SELECT id FROM wrong_answers WHERE kind = $1 AND ${userId === null ? 'userId IS NULL' : 'userId = $3'}
  ORDER BY changedAt DESC LIMIT -1 OFFSET $2)`

/** Counter in a row of its own. A write for each answer, as for an account, so that the time of an answer does not differ (T12). */
function named(app: App, name: string, { kind, userId }: Pick<WrongAnswerRow, 'kind' | 'userId'>): Store {
  const { database, models, sealer, clock, wrongAnswers } = app
  const id = sealer.sign(`${kind} ${name}`, 'wrong-answers').toString('hex')
  const most = userId === null ? mostRows.ofStrangers : mostRows.ofUser
  const read = () => wrongAnswers.get(id) ?? noFailures
  return {
    attempts: read(),
    change: (next) =>
      database.write(async (transaction) => {
        const { failedSignIns, lockedUntil } = next(read())
        if (failedSignIns === 0 && lockedUntil === null) {
          await models.WrongAnswer.destroy({ where: { id }, transaction })
        } else {
          const row = { id, kind, userId, failedSignIns, lockedUntil, changedAt: clock.now() }
          await models.WrongAnswer.upsert(row, { transaction })
        }
        if (wrongAnswers.numberOf({ kind, userId }) >= most) {
          const bind = [kind, most, ...(userId === null ? [] : [userId])]
          await database.sequelize.query(removeBeyondSql(userId), { bind, transaction })
        }
        return { failedSignIns, lockedUntil }
      }),
  }
}

const inAccount = ({ database, models }: App, user: UserRow): Store => ({
  attempts: user,
  change: (next) =>
    database.write(async (transaction) => {
      const where = { id: user.id }
      const { failedSignIns, lockedUntil } = next((await models.User.findOne({ where, transaction })) ?? user)
      await models.User.update({ failedSignIns, lockedUntil }, { where, transaction })
      return { failedSignIns, lockedUntil }
    }),
})

/** End of the longest lock of a user: of the account, or of a browser known to it. Null for none. */
export function lockedUntil({ clock, wrongAnswers }: App, user: Pick<UserRow, 'id' | 'lockedUntil'>): number | null {
  const ofBrowsers = wrongAnswers.ofBrowsers(user.id).map((counted) => counted.lockedUntil ?? 0)
  const latest = Math.max(user.lockedUntil ?? 0, ...ofBrowsers)
  return latest > clock.now() ? latest : null
}

/** Resets the counts of browsers that are known to a user. */
export async function forgetFailures({ models }: App, userId: string, transaction: Transaction): Promise<void> {
  await models.WrongAnswer.destroy({ where: { userId, kind: 'browser' }, transaction })
}

/** Removes counts of answers that are long ago. */
export const removeOldWrongAnswers = ({ app }: OpenCall): Promise<void> =>
  deleteWhere(app, 'wrong_answers', 'changedAt < ?', app.retentionClock.now() - keptMs)

/** Counter for a visitor who sends an address; `browserOf` finds the id of a browser that is known to the account. */
export function counterOfVisitor(
  app: App,
  email: string,
  user: UserRow | undefined,
  browserOf: (userId: string) => string | undefined,
): Counter {
  if (!user) {
    return counterOver(app, named(app, email.toLowerCase(), { kind: 'stranger', userId: null }), {})
  }
  const browser = browserOf(user.id)
  const store =
    browser === undefined
      ? inAccount(app, user)
      : named(app, `${browser} ${user.id}`, { kind: 'browser', userId: user.id })
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
  counterOver(app, named(app, loginId, { kind: 'credential', userId }), { userId, loginId })

export const counterOfCredential = (app: App, userId: string, credential: Credential): Counter =>
  counterOver(app, named(app, nameOf(userId, credential), { kind: 'credential', userId }), {
    userId,
    credential: credential.kind,
  })
