import type { Transaction } from 'sequelize'
import type { App } from '../../call.ts'
import { asUser, type Principal } from '../../principal.ts'
import type { InstallerKeyRow } from '../../models/installer-key.ts'

/** Creator of an installer key. */
export interface Creator {
  /** Principal with the account's current rights, limited by the token that made the key. */
  principal: Principal
  isEnabled: boolean
}

/** Reads the account behind a key in its current state; undefined for a deleted account. */
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
