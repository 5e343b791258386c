import { randomUUID } from 'node:crypto'
import { Op, type Transaction } from 'sequelize'
import type { App } from '../../call.ts'
import type { UserRow } from '../../models/user.ts'
import type { Principal } from '../../principal.ts'

/** What a change is made with, by the session's token hash or the id of the bearer tokens' family. It goes on. */
export interface Kept {
  sessionId?: string | undefined
  familyId?: string | undefined
}

export const keptOf = ({ credential }: Principal): Kept => ({
  ...('sessionId' in credential && { sessionId: credential.sessionId }),
  ...('familyId' in credential && { familyId: credential.familyId }),
})

interface Circumstances {
  kept?: Kept | undefined
  /** Writes what belongs to the change. */
  together?: (transaction: Transaction) => Promise<unknown>
}

/**
 * Changes what a user signs in with, under a new security stamp: mailed codes are void, every session and every bearer
 * token ends but those that the change is made with, and with them their live connections.
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
