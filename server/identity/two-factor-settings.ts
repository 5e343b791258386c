import { Secret, TOTP } from 'otpauth'
import { unsetIssuer } from '../settings/keys.ts'
import type { Transaction } from 'sequelize'
import type { AuditKind } from '../../shared/audit-kinds.ts'
import type { App, Call } from '../call/call.ts'
import { conflict } from '../ground/errors.ts'
import type { UserRow } from '../people/tables.ts'
import { keptOf } from '../ground/principal.ts'
import { notifyOwner } from '../people/notices.ts'
import { renewCredentials, requireUnchanged } from './changed-credentials.ts'
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
import { getUser, userTarget } from '../people/users.ts'

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

/** Throws 409 if another request has renewed the key since a code proved that the app knows it. */
async function requireProvedKey({ models }: App, transaction: Transaction, { id, twoFactorSecret }: UserRow) {
  if ((await models.User.count({ where: { id, twoFactorSecret }, transaction })) === 0) {
    throw conflict('The key for the authenticator app was renewed meanwhile. Set up the app with the new one.')
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
  const by = keptOf(principal)
  const together = async (transaction: Transaction) => {
    if (recoveryCodes) {
      await storeRecoveryCodes(app, transaction, user.id, recoveryCodes)
    }
    if (isEnabled !== user.isTwoFactorEnabled) {
      const kind = isEnabled ? 'two-factor-enabled' : 'two-factor-disabled'
      await notifyOwner(app, transaction, user, { kind, subject: null, by })
    } else if (recoveryCodes) {
      await notifyOwner(app, transaction, user, { kind: 'recovery-codes-renewed', subject: null, by })
    }
    await app.audit.recordIn(
      transaction,
      call.actor,
      kinds.map((kind) => ({ kind, target: userTarget(user) })),
    )
  }
  await app.database.write(async (transaction) => {
    await requireUnchanged(app, transaction, user)
    if (request.enable === true) {
      await requireProvedKey(app, transaction, user)
    }
    if (isCredentialChange) {
      await renewCredentials(app, transaction, user.id, columns, by)
    } else {
      await app.models.User.update(columns, { where: { id: user.id }, transaction })
    }
    await together(transaction)
  })
  return {
    sharedKey: user.isTwoFactorEnabled && isEnabled ? '' : sharedKeyOf(app, await getUser(call, user.id))!,
    recoveryCodesLeft: await countRecoveryCodes(app, user.id),
    recoveryCodes,
    isEnabled,
  }
}

/** The caller's row. Throws 409 unless two-factor authentication is on or off as expected. */
async function callerWith(call: Call, isEnabled: boolean): Promise<UserRow> {
  const user = await getUser(call, call.principal.id)
  if (user.isTwoFactorEnabled !== isEnabled) {
    throw conflict(`Two-factor authentication is ${isEnabled ? 'off' : 'on'}.`)
  }
  return user
}

const nothing: TwoFactorRequest = { resetSharedKey: false, resetRecoveryCodes: false }

/** Makes a key for an authenticator app, and its address with the configured label. */
export async function setUpTwoFactor(call: Call): Promise<{ sharedKey: string; uri: string }> {
  const user = await callerWith(call, false)
  const { sharedKey } = await manageTwoFactor(call, user, { ...nothing, resetSharedKey: true })
  const { appOptions, branding } = call.app.config
  const label = appOptions.authenticatorIssuerName
  const issuer = label === unsetIssuer ? branding.brandName : label
  return { sharedKey, uri: new TOTP({ issuer, label: user.email, secret: Secret.fromBase32(sharedKey) }).toString() }
}

/** Turns two-factor authentication on with a code of the app, and makes recovery codes. */
export async function enableTwoFactor(call: Call, twoFactorCode: string): Promise<{ recoveryCodes: string[] }> {
  const user = await callerWith(call, false)
  const request = { ...nothing, enable: true, twoFactorCode, resetRecoveryCodes: true }
  return { recoveryCodes: (await manageTwoFactor(call, user, request)).recoveryCodes! }
}

export async function disableTwoFactor(call: Call): Promise<void> {
  const user = await getUser(call, call.principal.id)
  if (user.isTwoFactorEnabled) {
    await manageTwoFactor(call, user, { ...nothing, enable: false })
  }
}

/** Replaces the recovery codes; throws 409 without two-factor authentication. */
export async function renewRecoveryCodes(call: Call): Promise<{ recoveryCodes: string[] }> {
  const user = await callerWith(call, true)
  return { recoveryCodes: (await manageTwoFactor(call, user, { ...nothing, resetRecoveryCodes: true })).recoveryCodes! }
}
