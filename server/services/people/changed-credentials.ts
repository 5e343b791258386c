import { randomUUID } from 'node:crypto'
import { Op, type Transaction } from 'sequelize'
import type { App } from '../../call.ts'
import type { UserRow } from '../../models/user.ts'

interface Circumstances {
  /** Token hash of the session that the change is made from. */
  keptSession?: string | undefined
  /** Writes what belongs to the change. */
  together?: (transaction: Transaction) => Promise<unknown>
}

/**
 * Changes what a user signs in with, under a new security stamp: tokens and mailed codes are void, every session but the
 * kept one ends, and with them their live connections.
 */
export async function changeCredentials(
  app: App,
  userId: string,
  changes: Partial<UserRow>,
  { keptSession, together }: Circumstances = {},
): Promise<void> {
  const { models } = app
  await app.database.write(async (transaction) => {
    await models.User.update({ ...changes, securityStamp: randomUUID() }, { where: { id: userId }, transaction })
    const others = { userId, tokenHash: { [Op.ne]: keptSession ?? '' } }
    await models.Session.destroy({ where: others, transaction })
    await together?.(transaction)
  })
}
