import type { Transaction } from 'sequelize'
import type { App } from '../../call.ts'
import { asUser, type Principal } from '../../principal.ts'
import type { InstallerKeyRow } from '../../models/installer-key.ts'

/** Who made an installer key. */
export interface Creator {
  /** Stands for the account itself, with all of its rights, or those that are left to the token that made the key. */
  principal: Principal
  isEnabled: boolean
}

/** The account behind a key as it is now; undefined when it is gone. */
export async function creatorOf(
  { models }: App,
  { creatorKind, creatorId: id, madeWith }: InstallerKeyRow,
  transaction?: Transaction,
): Promise<Creator | undefined> {
  const within = transaction && { transaction }
  const credential = { kind: 'BearerToken', familyId: '' } as const
  const itself = { id, credential, madeWith, isLive: () => true, use: () => true } as const
  if (creatorKind === 'User') {
    const user = await models.User.findByPk(id, { ...within })
    return user ? { principal: { ...itself, ...asUser(user) }, isEnabled: true } : undefined
  }
  const account = await models.ServiceAccount.findByPk(id, { ...within })
  if (!account) {
    return undefined
  }
  const { tenantId, name, accessMode, isEnabled } = account
  const isUnrestricted = tenantId === null && accessMode === 'Unrestricted'
  return { principal: { ...itself, kind: 'ServiceAccount', tenantId, name, isUnrestricted }, isEnabled }
}
