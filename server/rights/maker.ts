import type { App } from '../call/call.ts'
import { asUser, type Maker, type Principal } from '../ground/principal.ts'

/** Account that made something which acts later. */
export interface MakerNow {
  /** Principal with the account's current rights, limited by the token that it used. */
  principal: Principal
  isEnabled: boolean
}

/** The account of a maker in its current state; undefined for a deleted account (T43). */
export function makerNow(
  { accounts, serviceAccounts }: App,
  { makerKind: kind, makerId: id }: Maker,
  madeWith: string | null = null,
): MakerNow | undefined {
  const credential = { kind: 'BearerToken', familyId: '' } as const
  const itself = { id, credential, madeWith, isLive: () => true, use: () => true } as const
  if (kind === 'User') {
    const user = accounts.get(id)
    return user && { principal: { ...itself, ...asUser(user) }, isEnabled: !user.isDisabled }
  }
  const account = serviceAccounts.get(id)
  if (!account) {
    return undefined
  }
  const { tenantId, name, accessMode, isEnabled } = account
  const isUnrestricted = tenantId === null && accessMode === 'Unrestricted' && madeWith === null
  return { principal: { ...itself, kind, tenantId, name, isUnrestricted }, isEnabled }
}

/** Columns of what acts later for a principal: its account, and the restricted token that it uses. */
export function makerColumns({ kind: makerKind, id: makerId, credential, madeWith = null }: Principal) {
  const isOfToken = credential.kind === 'PersonalAccessToken' && credential.mode === 'Restricted'
  return { makerKind, makerId, madeWith: isOfToken ? credential.id : madeWith }
}
