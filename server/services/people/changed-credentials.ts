import { randomUUID } from 'node:crypto'
import { Op, type Transaction } from 'sequelize'
import type { App } from '../../call.ts'
import type { UserRow } from '../../models/user.ts'
import type { Kept } from '../../principal.ts'

interface Circumstances {
  kept?: Kept | undefined
  /** Runs further writes in the transaction of the change. */
  together?: (transaction: Transaction) => Promise<unknown>
}

/**
 * Changes a user's credentials and renews the security stamp: voids mailed codes, and ends every session and bearer
 * token except `kept`, with their live connections.
 */
export async function changeCredentials(
  app: App,
  userId: string,
  changes: Partial<UserRow>,
  { kept = {}, together }: Circumstances = {},
): Promise<void> {
  const { models } = app
  const { sessionId = '', familyId = '' } = kept
  await app.database.write(async (transaction) => {
    await models.User.update({ ...changes, securityStamp: randomUUID() }, { where: { id: userId }, transaction })
    await models.Session.destroy({ where: { userId, tokenHash: { [Op.ne]: sessionId } }, transaction })
    await models.TokenFamily.destroy({ where: { userId, id: { [Op.ne]: familyId } }, transaction })
    await together?.(transaction)
  })
}
