import { identity } from '../../shared/api/identity.ts'
import { issueTokens, refreshTokens, type Tokens } from '../auth/bearer.ts'
import { unauthorized } from '../errors.ts'
import {
  codeFrom,
  confirmEmail,
  resendConfirmation,
  sendConfirmation,
  sendPasswordReset,
} from '../services/people/account-mail.ts'
import { checkEmail, checkNewPassword, checkRegistration, identityFailure } from '../services/people/identity-errors.ts'
import { manageTwoFactor } from '../services/people/two-factor-settings.ts'
import { getUser, registerUser, requireOpenRegistration } from '../services/people/users.ts'
import { callerOf, directCallerOf, implement } from './implement.ts'

const present = ({ accessToken, expiresInSeconds, refreshToken }: Tokens) => ({
  tokenType: 'Bearer' as const,
  accessToken,
  expiresIn: expiresInSeconds,
  refreshToken,
})

const presentInfo = ({ email, isEmailConfirmed }: { email: string; isEmailConfirmed: boolean }) => ({
  email,
  isEmailConfirmed,
})

/** What the framework answers for it: only the password says that it has to be changed. */
const refusalDetails = {
  Failed: 'Failed',
  LockedOut: 'LockedOut',
  NotAllowed: 'NotAllowed',
  RequiresPasswordChange: 'NotAllowed',
  RequiresTwoFactor: 'RequiresTwoFactor',
}

export const identityRoutes = implement(identity, {
  register: async (context, { body }) => {
    const email = body.email.toLowerCase()
    await requireOpenRegistration(context.app)
    checkRegistration({ ...body, email })
    const user = await registerUser(context.app, { ...body, email })
    if (!user) {
      throw identityFailure({ DuplicateUserName: `Username '${email}' is already taken.` })
    }
    sendConfirmation(context, user)
  },
  login: async ({ app, setSession }, { query, body: { email, password, ...factor } }) => {
    const { user, refusal } = await app.signIns.signIn(email, password, factor)
    if (!user) {
      throw unauthorized(refusalDetails[refusal])
    }
    if (query.useCookies || query.useSessionCookies) {
      const isPersistent = query.useSessionCookies !== true
      setSession(await app.signIns.startSession(user, isPersistent), isPersistent)
      return undefined
    }
    return present(issueTokens(app, user))
  },
  refresh: async ({ app }, { body: { refreshToken } }) => {
    const tokens = await refreshTokens(app, refreshToken)
    if (!tokens) {
      throw unauthorized('This refresh token is not valid any more. Sign in again.')
    }
    return present(tokens)
  },
  confirmEmail: async ({ app }, { query: { userId, code, changedEmail } }) => {
    await confirmEmail(app, userId, code, changedEmail)
    return 'Thank you for confirming your email.'
  },
  resendConfirmationEmail: (context, { body }) => resendConfirmation(context, body.email),
  forgotPassword: (context, { body }) => sendPasswordReset(context, body.email),
  resetPassword: async ({ app }, { body: { email, resetCode, newPassword } }) => {
    checkNewPassword(newPassword)
    if (await app.signIns.resetPassword(email, codeFrom(resetCode), newPassword)) {
      throw identityFailure({ InvalidToken: 'Invalid token.' })
    }
  },
  manageTwoFactor: async (context, { body }) => {
    const user = await getUser(context.app, callerOf(context).id)
    const { isEnabled, ...rest } = await manageTwoFactor(context.app, directCallerOf(context), user, body)
    return { ...rest, isTwoFactorEnabled: isEnabled, isMachineRemembered: false }
  },
  info: async (context) => presentInfo(await getUser(context.app, callerOf(context).id)),
  changeInfo: async (context, { body: { newEmail, newPassword, oldPassword } }) => {
    const { app } = context
    const { id } = await getUser(app, callerOf(context).id)
    const caller = directCallerOf(context)
    if (newEmail) {
      checkEmail(newEmail)
    }
    if (newPassword) {
      checkNewPassword(newPassword)
      if (!oldPassword) {
        throw identityFailure({ OldPasswordRequired: 'A new password needs the old one, too.' })
      }
      const refusal = await app.signIns.changePassword(caller, oldPassword, newPassword)
      if (refusal) {
        throw identityFailure(
          refusal === 'LockedOut'
            ? { UserLockedOut: 'This account is locked for a few minutes after too many wrong answers.' }
            : { PasswordMismatch: 'Incorrect password.' },
        )
      }
    }
    const user = await getUser(app, id)
    const changedEmail = newEmail?.toLowerCase()
    if (changedEmail && changedEmail !== user.email) {
      sendConfirmation(context, user, changedEmail)
    }
    return presentInfo(user)
  },
})
