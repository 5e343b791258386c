import type { App, OpenCall } from '../../call.ts'
import type { Principal } from '../../principal.ts'
import type { UserRow } from '../../models/user.ts'
import { changeCredentials } from './changed-credentials.ts'
import { identityFailure } from './identity-errors.ts'
import {
  countRecoveryCodes,
  newRecoveryCodes,
  newSharedKey,
  sealSharedKey,
  sharedKeyOf,
  storeRecoveryCodes,
} from './second-factor.ts'
import { proveAppCode } from './sign-in.ts'
import { getUser } from './users.ts'

/** What somebody asks to change about their two-factor authentication. */
export interface TwoFactorRequest {
  enable?: boolean | null | undefined
  twoFactorCode?: string | null | undefined
  resetSharedKey: boolean
  resetRecoveryCodes: boolean
}

export interface TwoFactorState {
  sharedKey: string
  recoveryCodesLeft: number
  /** Only when they are new. */
  recoveryCodes: string[] | null
  isEnabled: boolean
}

/** Throws 400 unless the app is proved to know the shared key. */
async function proveApp(call: OpenCall, user: UserRow, { twoFactorCode, resetSharedKey }: TwoFactorRequest) {
  if (resetSharedKey) {
    throw identityFailure({
      CannotResetSharedKeyAndEnable: 'A new shared key has to be in the authenticator app before it can be enabled.',
    })
  }
  if (!twoFactorCode) {
    throw identityFailure({ RequiresTwoFactor: 'Enabling needs a code of the authenticator app.' })
  }
  if (!(await proveAppCode(call, user.id, twoFactorCode))) {
    throw identityFailure({ InvalidTwoFactorCode: 'This code of the authenticator app is not valid.' })
  }
}

/** The columns that change; undefined when none does. The first key of a user changes nothing about signing in. */
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

/** Changes what is asked for and answers what holds then. A change of what signing in needs ends every other session. */
export async function manageTwoFactor(
  call: OpenCall,
  { credential }: Principal,
  user: UserRow,
  request: TwoFactorRequest,
): Promise<TwoFactorState> {
  const { app } = call
  if (request.enable === true) {
    await proveApp(call, user, request)
  }
  const { isEnabled, isCredentialChange, columns } = changesOf(app, user, request)
  const lacksCodes = request.enable === true && (await countRecoveryCodes(app, user.id)) === 0
  const recoveryCodes = request.resetRecoveryCodes || lacksCodes ? newRecoveryCodes() : null
  if (isCredentialChange || recoveryCodes) {
    await changeCredentials(app, user.id, columns, {
      keptSession: 'sessionId' in credential ? credential.sessionId : undefined,
      together: async (transaction) => {
        if (recoveryCodes) {
          await storeRecoveryCodes(app, transaction, user.id, recoveryCodes)
        }
      },
    })
  } else {
    await app.database.write((transaction) => app.models.User.update(columns, { where: { id: user.id }, transaction }))
  }
  return {
    sharedKey: sharedKeyOf(app, await getUser(call, user.id))!,
    recoveryCodesLeft: await countRecoveryCodes(app, user.id),
    recoveryCodes,
    isEnabled,
  }
}
