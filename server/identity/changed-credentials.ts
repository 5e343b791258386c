import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import type { App } from '../call/call.ts'
import { unauthorized } from '../ground/errors.ts'
import type { UserRow } from '../people/tables.ts'
import type { Kept } from '../ground/principal.ts'
import { endSignInsBut } from './sessions.ts'

interface Circumstances {
  kept?: Kept | undefined
  /** User as read before a check that took long: the write is rejected if the credentials have changed since. */
  checked?: Pick<UserRow, 'id' | 'securityStamp'> | undefined
  /** Runs further writes in the transaction of the change. */
  together?: (transaction: Transaction) => Promise<unknown>
}

/** Throws 401 when the user's credentials changed after they were checked. */
export async function requireUnchanged(
  { models }: App,
  transaction: Transaction,
  { id, securityStamp }: Pick<UserRow, 'id' | 'securityStamp'>,
): Promise<void> {
  if ((await models.User.count({ where: { id, securityStamp }, transaction })) === 0) {
    throw unauthorized('What you signed in with was changed meanwhile. Sign in again.')
  }
}

/**
 * Changes a user's credentials and renews the security stamp, inside a transaction: voids mailed codes, and ends every
 * session and bearer token except `kept`, with their live connections.
 */
export async function renewCredentials(
  app: App,
  transaction: Transaction,
  userId: string,
  changes: Partial<UserRow>,
  kept: Kept = {},
): Promise<void> {
  await app.models.User.update({ ...changes, securityStamp: randomUUID() }, { where: { id: userId }, transaction })
  await endSignInsBut(app, transaction, userId, kept)
}

/** Renews a user's credentials as a write of its own. */
export async function changeCredentials(
  app: App,
  userId: string,
  changes: Partial<UserRow>,
  { kept = {}, checked, together }: Circumstances,
): Promise<void> {
  await app.database.write(async (transaction) => {
    if (checked) {
      await requireUnchanged(app, transaction, checked)
    }
    await renewCredentials(app, transaction, userId, changes, kept)
    await together?.(transaction)
  })
}
