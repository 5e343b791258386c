import { randomUUID } from 'node:crypto'
import { Op, type Transaction } from 'sequelize'
import type { NoticeKind } from '../../shared/api/appliance-notices.ts'
import type { App, Call } from '../call/call.ts'
import { forbidden } from '../ground/errors.ts'
import type { UserRow, UserNoticeRow } from './tables.ts'
import { nameOfCaller } from './names.ts'
import { keptOf, type Kept, type Principal } from '../ground/principal.ts'
import { isOwnNotice, mailSender, noticeMail } from './notice-mail.ts'

/**
 * Maximum notices of each kind per user, so that frequent notices of one kind hide no other kind. Dropped notices
 * remain in the log of changes.
 */
const maxKept = 20

const pruneSql = `DELETE FROM user_notices WHERE id IN (
  SELECT id FROM (
    SELECT id, row_number() OVER (PARTITION BY userId, kind ORDER BY createdAt DESC, id DESC) AS place
    FROM user_notices WHERE userId IN (SELECT value FROM json_each($1))
  ) AS placed WHERE place > $2)`

export interface News {
  kind: NoticeKind
  subject: string | null
}

/** User who gets a notice, with the address at which mail reaches it. */
type Owner = Pick<UserRow, 'id' | 'tenantId' | 'userName' | 'email' | 'isEmailConfirmed'>

/** Stores notices in the transaction of a change, and mails confirmed addresses once the change is committed. */
async function store(
  app: App,
  transaction: Transaction,
  owners: readonly Owner[],
  { byName, madeIn = null, ...news }: News & { byName: string; madeIn?: string | null },
) {
  const { models, clock, database, mail } = app
  const createdAt = clock.now()
  const rows = owners.map(({ id: userId }): UserNoticeRow => ({
    id: randomUUID(),
    userId,
    ...news,
    byName,
    createdAt,
    madeIn,
  }))
  await models.UserNotice.bulkCreate(rows, { transaction })
  const ids = JSON.stringify(rows.map(({ userId }) => userId))
  await database.sequelize.query(pruneSql, { bind: [ids, maxKept], transaction })
  if (mail.isOn) {
    const mailed = owners.filter(({ isEmailConfirmed, email }) => isEmailConfirmed && isOwnNotice(news, email))
    const mailTo = ({ id, email: to, tenantId }: Owner) => {
      const content = noticeMail(mailSender(app, tenantId), { ...news, byName, createdAt })
      if (content) {
        mail.notify(id, { to, ...content })
      }
    }
    database.afterCommit(transaction, () => mailed.forEach(mailTo))
  }
}

/**
 * Notifies users of an action of the principal, in the transaction of this action. The principal itself is not
 * notified.
 */
export async function notifyUsers(
  { app, principal }: { app: App; principal: Pick<Principal, 'name'> & { id: string | null } },
  transaction: Transaction,
  userIds: readonly string[],
  news: News,
): Promise<void> {
  const others = userIds.filter((userId) => userId !== principal.id)
  const owners = await app.models.User.findAll({ where: { id: others }, transaction })
  await store(app, transaction, owners, { ...news, byName: nameOfCaller({ app, principal }) })
}

/** Name of a sign-in in `madeIn`; null for other credentials. */
const signInOf = ({ sessionId, familyId }: Kept): string | null => sessionId ?? familyId ?? null

/**
 * Notifies a user of a change, by whomever, in the transaction of the change: somebody else may have used the user's
 * credentials. The sign-in `by`, which made the change, does not list the notice. Pass the row from before the change,
 * so that the mail goes to the former address.
 */
export const notifyOwner = (
  app: App,
  transaction: Transaction,
  owner: Owner,
  {
    byName = app.accounts.nameOf(owner.id) ?? owner.userName,
    by = {},
    ...news
  }: News & { byName?: string; by?: Kept | undefined },
): Promise<void> => store(app, transaction, [owner], { ...news, byName, madeIn: signInOf(by) })

/** Notifies the user who makes a change of the own account; the sign-in that makes it does not list the notice. */
export async function notifyCaller({ app, principal }: Call, transaction: Transaction, news: News): Promise<void> {
  const owner = await app.models.User.findByPk(principal.id, { transaction, rejectOnEmpty: true })
  await notifyOwner(app, transaction, owner, { ...news, by: keptOf(principal) })
}

/** Id of the user who reads notices. Notices are for people: tokens can neither read nor dismiss notices. */
function readerOf({ kind, id, credential }: Principal): string {
  if (kind !== 'User' || (credential.kind !== 'Session' && credential.kind !== 'BearerToken')) {
    throw forbidden('Notices are for people who are signed in, and a token is none.')
  }
  return id
}

export async function listNotices({ app: { models }, principal }: Call): Promise<UserNoticeRow[]> {
  const rows = await models.UserNotice.findAll({
    where: {
      userId: readerOf(principal),
      madeIn: { [Op.or]: [null, { [Op.ne]: signInOf(keptOf(principal)) }] },
    },
    order: [
      ['createdAt', 'DESC'],
      ['id', 'DESC'],
    ],
  })
  return rows.map((row) => row.get({ plain: true }))
}

/** Deletes notices of the caller; ids of other users' notices are ignored. */
export async function dismissNotices({ app, principal }: Call, ids: readonly string[]): Promise<void> {
  const where = { id: [...ids], userId: readerOf(principal) }
  await app.database.write((transaction) => app.models.UserNotice.destroy({ where, transaction }))
}
