import { identity } from '../../shared/api/identity.ts'
import { refreshTokens, type Tokens } from '../credentials/bearer.ts'
import { unauthorized } from '../ground/errors.ts'
import {
  codeFrom,
  confirmEmail,
  resendConfirmation,
  sendConfirmation,
  sendEmailChange,
  sendPasswordReset,
} from './account-mail.ts'
import { requireAddressChange } from './mail-budget.ts'
import { checkEmail, checkNewPassword, checkRegistration, identityFailure } from './identity-errors.ts'
import { manageTwoFactor } from './two-factor-settings.ts'
import { registerUser, requireOpenRegistration } from './registration.ts'
import { changePassword } from './own-credentials.ts'
import { setPasswordWithCode, signIn, startSession, startTokens } from './sign-in.ts'
import { getUser } from '../people/users.ts'
import { implement, signedInPerson } from '../surface/implement.ts'

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

/** Reasons of the stock identity endpoints, which have none for a required change of password or a disabled account. */
const refusalDetails = {
  Failed: 'Failed',
  LockedOut: 'LockedOut',
  NotAllowed: 'NotAllowed',
  RequiresPasswordChange: 'NotAllowed',
  RequiresTwoFactor: 'RequiresTwoFactor',
  Disabled: 'NotAllowed',
}

export const identityRoutes = implement(identity, {
  register: async (call, { body }) => {
    const email = body.email.toLowerCase()
    await requireOpenRegistration(call)
    checkRegistration({ ...body, email })
    const user = await registerUser(call, { ...body, email })
    if (!user) {
      throw identityFailure({ DuplicateUserName: `Username '${email}' is already taken.` })
    }
    sendConfirmation(call, user)
  },
  login: async (call, { query, body: { email, password, ...factor } }) => {
    const { user, refusal } = await signIn(call, email, password, factor)
    if (!user) {
      throw unauthorized(refusalDetails[refusal])
    }
    if (query.useCookies || query.useSessionCookies) {
      const isPersistent = query.useSessionCookies !== true
      // Sessions of programs are not bound to a page key: the cookie alone opens them.
      await startSession({ ...call, pageKey: undefined }, user, { isPersistent })
      return undefined
    }
    return present(await startTokens(call, user))
  },
  refresh: async ({ app }, { body: { refreshToken } }) => {
    const tokens = await refreshTokens(app, refreshToken)
    if (!tokens) {
      throw unauthorized('This refresh token is not valid any more. Sign in again.')
    }
    return present(tokens)
  },
  confirmEmail: async (call, { query: { userId, code, changedEmail } }) => {
    await confirmEmail(call, userId, code, changedEmail)
    return 'Thank you for confirming your email.'
  },
  resendConfirmationEmail: (call, { body }) => resendConfirmation(call, body.email),
  forgotPassword: (call, { body }) => sendPasswordReset(call, body.email),
  resetPassword: async (call, { body: { email, resetCode, newPassword } }) => {
    checkNewPassword(newPassword)
    if (!(await setPasswordWithCode(call, email, codeFrom(resetCode), newPassword))) {
      throw identityFailure({ InvalidToken: 'Invalid token.' })
    }
  },
  manageTwoFactor: async (call, { body }) => {
    const user = await getUser(call, call.principal.id)
    const { isEnabled, ...rest } = await manageTwoFactor(signedInPerson(call), user, body)
    return { ...rest, isTwoFactorEnabled: isEnabled, isMachineRemembered: false }
  },
  info: async (call) => presentInfo(await getUser(call, call.principal.id)),
  changeInfo: async (call, { body: { newEmail, newPassword, oldPassword } }) => {
    const { id, email } = await getUser(call, call.principal.id)
    const person = signedInPerson(call)
    if (newPassword) {
      checkNewPassword(newPassword)
    }
    const changedEmail = newEmail?.toLowerCase()
    if (newEmail) {
      checkEmail(newEmail)
    }
    // Before the password changes: what is refused changes nothing.
    if (changedEmail && changedEmail !== email) {
      requireAddressChange(call.app, id)
    }
    if (newPassword) {
      if (!oldPassword) {
        throw identityFailure({ OldPasswordRequired: 'A new password needs the old one, too.' })
      }
      const refusal = await changePassword(person, oldPassword, newPassword)
      if (refusal) {
        throw identityFailure(
          refusal === 'LockedOut'
            ? { UserLockedOut: 'This account is locked for a few minutes after too many wrong answers.' }
            : { PasswordMismatch: 'Incorrect password.' },
        )
      }
    }
    const user = await getUser(call, id)
    if (changedEmail && changedEmail !== email) {
      sendEmailChange(call, user, changedEmail)
    }
    return presentInfo(user)
  },
})
