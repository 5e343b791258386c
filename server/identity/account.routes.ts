import { applianceAccount } from '../../shared/api/appliance-account.ts'
import { invalid } from '../ground/errors.ts'
import { presentOwnToken, presentSignIn } from './present.ts'
import {
  createPersonalAccessToken,
  listPersonalAccessTokens,
  ownTokens,
} from '../credentials/personal-access-tokens.ts'
import { grantablePermissions, grantableScopes } from '../credentials/personal-token-scopes.ts'
import { requestEmailChange } from './account-mail.ts'
import { countRecoveryCodes } from './second-factor.ts'
import { endOtherSignIns, endSignIn, listSignIns } from './sessions.ts'
import { disableTwoFactor, enableTwoFactor, renewRecoveryCodes, setUpTwoFactor } from './two-factor-settings.ts'
import { getUser } from '../people/users.ts'
import { implement, signedInPerson } from '../surface/implement.ts'

/** Time of an end that was asked for; throws 400 for one in the past. */
function endOf(now: number, expiresAt: string | null | undefined): number | null {
  const at = expiresAt == null ? null : Date.parse(expiresAt)
  if (at !== null && at <= now) {
    throw invalid({ expiresAt: ['must be in the future'] })
  }
  return at
}

export const applianceAccountRoutes = implement(applianceAccount, {
  get: async (call) => {
    const { email, isEmailConfirmed, isTwoFactorEnabled, id } = await getUser(signedInPerson(call), call.principal.id)
    const recoveryCodesLeft = await countRecoveryCodes(call.app, id)
    return { email, isEmailConfirmed, isTwoFactorEnabled, recoveryCodesLeft, isMailOn: call.app.mail.isOn }
  },
  changeEmail: async (call, { body }) => {
    const user = await getUser(signedInPerson(call), call.principal.id)
    return { isConfirmationSent: await requestEmailChange(call, user, body.email) }
  },
  setUpTwoFactor: (call) => setUpTwoFactor(signedInPerson(call)),
  enableTwoFactor: (call, { body }) => enableTwoFactor(signedInPerson(call), body.twoFactorCode),
  disableTwoFactor: (call) => disableTwoFactor(signedInPerson(call)),
  renewRecoveryCodes: (call) => renewRecoveryCodes(signedInPerson(call)),
  listTokens: async (call, { tenantId }) => {
    const tokens = await listPersonalAccessTokens(call, ownTokens(signedInPerson(call), tenantId))
    return { items: tokens.map((token) => presentOwnToken(call.app, token)) }
  },
  listTokenRights: async (call, { tenantId }) => ({
    items: await grantablePermissions(call, ownTokens(signedInPerson(call), tenantId)),
  }),
  createToken: async (call, { tenantId, body: { name, rights, expiresAt } }) => {
    const owner = ownTokens(signedInPerson(call), tenantId)
    const scopes = rights ? await grantableScopes(call, owner, rights) : null
    const held = new Set(scopes?.map(({ permissionName }) => permissionName))
    const missing = rights?.filter((right) => !held.has(right))
    if (missing?.length) {
      throw invalid({ rights: [`hold ${missing.join(', ')}, which you do not hold`] })
    }
    const { token, plainText } = await createPersonalAccessToken(call, owner, {
      name,
      permissionMode: rights ? 'Restricted' : 'InheritOwner',
      scopes,
      expiresAt: endOf(call.app.clock.now(), expiresAt),
    })
    return { token: presentOwnToken(call.app, token), plainTextToken: plainText }
  },
  listSignIns: async (call) => ({ items: (await listSignIns(signedInPerson(call))).map(presentSignIn) }),
  endSignIn: (call, { params }) => endSignIn(signedInPerson(call), params.signInId),
  endOtherSignIns: async (call) => ({ ended: await endOtherSignIns(signedInPerson(call)) }),
})
