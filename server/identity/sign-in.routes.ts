import { auth } from '../../shared/api/auth.ts'
import { lockout } from '../../shared/dtos/user.ts'
import { endTokenFamily } from '../credentials/bearer.ts'
import { badRequest, invalid, unauthorized } from '../ground/errors.ts'
import { presentCurrentUser } from '../people/present.ts'
import { codeFrom } from './account-mail.ts'
import { changePassword } from './own-credentials.ts'
import { changePasswordOf, setPasswordWithCode, signIn, startTokens } from './sign-in.ts'
import { getUser } from '../people/users.ts'
import { asOwner, implement } from '../surface/implement.ts'

/** Sentences for sign-ins that the body of the answer has no member for. */
const rejections = {
  Failed: 'The address, the password or the code is wrong.',
  NotAllowed: 'Confirm your email address first.',
  Disabled: 'This account is disabled. Ask an administrator of your organization.',
}

export const authRoutes = implement(auth, {
  me: async (call) => {
    const user = await getUser(call, call.principal.id)
    return presentCurrentUser(user, { isOnline: call.app.hubs.viewer.isOnline(user.id) })
  },
  logout: async (call) => {
    const { credential } = call.principal
    if ('sessionId' in credential) {
      await call.app.sessions.end(credential.sessionId)
    } else if ('familyId' in credential) {
      await endTokenFamily(call.app, credential.familyId)
    }
    call.setSession(undefined)
    await call.app.audit.record(call.actor, { kind: 'sign-in.ended' })
  },
  interactiveLogin: async (call, { body: { email, password, ...factor } }) => {
    const { user, refusal } = await signIn(call, email, password, factor)
    if (refusal === 'Failed' || refusal === 'NotAllowed' || refusal === 'Disabled') {
      throw unauthorized(rejections[refusal])
    }
    return {
      requiresTwoFactor: refusal === 'RequiresTwoFactor',
      isLockedOut: refusal === 'LockedOut',
      requiresPasswordChange: refusal === 'RequiresPasswordChange',
      ...(user && { tokens: { tokenType: 'Bearer' as const, ...(await startTokens(call, user)) } }),
    }
  },
  changePassword: async (call, { body }) => {
    const refusal = await changePassword(asOwner(call), body.currentPassword, body.newPassword)
    if (refusal) {
      throw badRequest(
        refusal === 'LockedOut'
          ? `The current password was wrong too often. Try again in ${lockout.minutes} minutes.`
          : 'The current password is wrong.',
      )
    }
  },
  changePasswordWithCredentials: async (call, { body }) => {
    const { email, currentPassword: current, newPassword: next, ...factor } = body
    const { refusal, at } = await changePasswordOf(call, email, { current, next, factor })
    if (refusal === 'RequiresTwoFactor') {
      throw invalid({ twoFactorCode: ['is required: this account has two-factor authentication'] })
    }
    if (refusal === 'Failed' && at === 'secondFactor') {
      throw invalid({ twoFactorCode: ['is not valid'] })
    }
    if (refusal) {
      throw unauthorized(
        refusal === 'LockedOut'
          ? 'This account is locked for a few minutes after too many wrong answers.'
          : refusal === 'Disabled'
            ? rejections.Disabled
            : 'The address or the password is wrong.',
      )
    }
  },
  completePasswordReset: async (call, { body: { email, resetCode, newPassword } }) => {
    if (!(await setPasswordWithCode(call, email, codeFrom(resetCode), newPassword))) {
      throw badRequest('This code is not valid, has expired, or was used before.')
    }
  },
})
