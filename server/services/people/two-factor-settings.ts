import type { Transaction } from 'sequelize'
import type { AuditKind } from '../../../shared/audit-kinds.ts'
import type { App, Call } from '../../call.ts'
import type { UserRow } from '../../models/user.ts'
import { userTarget } from './audited-users.ts'
import { changeCredentials, keptOf } from './changed-credentials.ts'
import { identityFailure } from './identity-errors.ts'
import { proveAppCode } from './own-credentials.ts'
import {
  countRecoveryCodes,
  newRecoveryCodes,
  newSharedKey,
  sealSharedKey,
  sharedKeyOf,
  storeRecoveryCodes,
} from './second-factor.ts'
import { getUser } from './users.ts'

/** Requested changes of two-factor authentication. */
export interface TwoFactorRequest {
  enable?: boolean | null | undefined
  twoFactorCode?: string | null | undefined
  resetSharedKey: boolean
  resetRecoveryCodes: boolean
}

export interface TwoFactorState {
  /** Key of the authenticator app during setup; empty once the app is in use. */
  sharedKey: string
  recoveryCodesLeft: number
  /** Null unless the codes are new. */
  recoveryCodes: string[] | null
  isEnabled: boolean
}

/** Throws 400 unless a code proves that the app knows the shared key. */
async function proveApp(call: Call, { twoFactorCode, resetSharedKey }: TwoFactorRequest) {
  if (resetSharedKey) {
    throw identityFailure({
      CannotResetSharedKeyAndEnable: 'A new shared key has to be in the authenticator app before it can be enabled.',
    })
  }
  if (!twoFactorCode) {
    throw identityFailure({ RequiresTwoFactor: 'Enabling needs a code of the authenticator app.' })
  }
  if (!(await proveAppCode(call, twoFactorCode))) {
    await call.app.audit.record(call.actor, {
      kind: 'account.two-factor-enabled',
      outcome: 'failure',
      details: { reason: 'wrong code' },
    })
    throw identityFailure({ InvalidTwoFactorCode: 'This code of the authenticator app is not valid.' })
  }
}

/** Columns to change. A user's first shared key does not affect sign-in. */
function changesOf(app: App, user: UserRow, { enable, resetSharedKey }: TwoFactorRequest) {
  const isEnabled = enable === true || (user.isTwoFactorEnabled && enable !== false && !resetSharedKey)
  const isNewKey = resetSharedKey || user.twoFactorSecret === null
  const sharedKey = isNewKey ? newSharedKey() : undefined
  return {
    isEnabled,
    isCredentialChange: isEnabled !== user.isTwoFactorEnabled || (resetSharedKey && user.isTwoFactorEnabled),
    columns: {
      isTwoFactorEnabled: isEnabled,
      ...(sharedKey && { twoFactorSecret: sealSharedKey(app, user.id, sharedKey), lastTwoFactorStep: null }),
    },
  }
}

/** Kinds of the audit events of a change. */
function changedKinds(
  { isTwoFactorEnabled }: UserRow,
  { resetSharedKey }: TwoFactorRequest,
  { isEnabled, hasNewCodes }: { isEnabled: boolean; hasNewCodes: boolean },
) {
  const kinds: AuditKind[] = []
  if (isEnabled !== isTwoFactorEnabled) {
    kinds.push(isEnabled ? 'account.two-factor-enabled' : 'account.two-factor-disabled')
  }
  if (resetSharedKey) {
    kinds.push('account.two-factor-key-renewed')
  }
  if (hasNewCodes) {
    kinds.push('account.recovery-codes-renewed')
  }
  return kinds
}

/**
 * Applies the requested changes and returns the new state. A change of the sign-in requirements ends every other
 * credential of the user; new recovery codes alone end nothing.
 */
export async function manageTwoFactor(call: Call, user: UserRow, request: TwoFactorRequest): Promise<TwoFactorState> {
  const { app, principal } = call
  if (request.enable === true) {
    await proveApp(call, request)
  }
  const { isEnabled, isCredentialChange, columns } = changesOf(app, user, request)
  const lacksCodes = request.enable === true && (await countRecoveryCodes(app, user.id)) === 0
  const recoveryCodes = request.resetRecoveryCodes || lacksCodes ? newRecoveryCodes() : null
  const kinds = changedKinds(user, request, { isEnabled, hasNewCodes: recoveryCodes !== null })
  const together = async (transaction: Transaction) => {
    if (recoveryCodes) {
      await storeRecoveryCodes(app, transaction, user.id, recoveryCodes)
    }
    await app.audit.recordIn(
      transaction,
      call.actor,
      kinds.map((kind) => ({ kind, target: userTarget(user) })),
    )
  }
  if (isCredentialChange) {
    await changeCredentials(app, user.id, columns, { kept: keptOf(principal), together })
  } else {
    await app.database.write(async (transaction) => {
      await app.models.User.update(columns, { where: { id: user.id }, transaction })
      await together(transaction)
    })
  }
  return {
    sharedKey: user.isTwoFactorEnabled && isEnabled ? '' : sharedKeyOf(app, await getUser(call, user.id))!,
    recoveryCodesLeft: await countRecoveryCodes(app, user.id),
    recoveryCodes,
    isEnabled,
  }
}
