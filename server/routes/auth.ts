import { auth } from '../../shared/api/auth.ts'
import { issueTokens } from '../auth/bearer.ts'
import { badRequest, invalid, notFound, unauthorized } from '../errors.ts'
import { presentCurrentUser } from '../presenters/user.ts'
import { codeFrom } from '../services/people/account-mail.ts'
import { getUser } from '../services/people/users.ts'
import { callerOf, directCallerOf, implement } from './implement.ts'

export const authRoutes = implement(auth, {
  me: async (context) => {
    const user = await getUser(context.app, callerOf(context).id)
    return presentCurrentUser(user, context.app.hubs.viewer.isOnline(user.id))
  },
  logout: async (context) => {
    const { id, credential } = callerOf(context)
    if ('session' in credential) {
      const { session } = credential
      await context.app.sessions.end(id, ({ tokenHash }) => tokenHash === session.tokenHash)
    }
    context.setSession(undefined)
  },
  interactiveLogin: async ({ app }, { body: { email, password, ...factor } }) => {
    if (!app.config.appOptions.enableInteractiveBearerLogin) {
      throw notFound('address')
    }
    const { user, refusal } = await app.signIns.signIn(email, password, factor)
    if (refusal === 'Failed' || refusal === 'NotAllowed') {
      throw unauthorized(
        refusal === 'Failed' ? 'The address, the password or the code is wrong.' : 'Confirm your email address first.',
      )
    }
    return {
      requiresTwoFactor: refusal === 'RequiresTwoFactor',
      isLockedOut: refusal === 'LockedOut',
      requiresPasswordChange: refusal === 'RequiresPasswordChange',
      ...(user && { tokens: { tokenType: 'Bearer' as const, ...issueTokens(app, user) } }),
    }
  },
  changePassword: async (context, { body }) => {
    const caller = directCallerOf(context)
    const refusal = await context.app.signIns.changePassword(caller, body.currentPassword, body.newPassword)
    if (refusal) {
      throw badRequest(
        refusal === 'LockedOut'
          ? 'The current password was wrong too often. Try again in 5 minutes.'
          : 'The current password is wrong.',
      )
    }
  },
  changePasswordWithCredentials: async ({ app }, { body }) => {
    const { email, currentPassword: current, newPassword: next, ...factor } = body
    const { refusal, at } = await app.signIns.changePasswordOf(email, { current, next, factor })
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
          : 'The address or the password is wrong.',
      )
    }
  },
  completePasswordReset: async ({ app }, { body: { email, resetCode, newPassword } }) => {
    if ((await app.signIns.resetPassword(email, codeFrom(resetCode), newPassword)) === 'InvalidToken') {
      throw badRequest('This code is not valid, has expired, or was used before.')
    }
  },
})
