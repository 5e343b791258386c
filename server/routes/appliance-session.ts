import { applianceSession } from '../../shared/api/appliance-session.ts'
import { invalid } from '../errors.ts'
import { presentCurrentUser } from '../presenters/user.ts'
import { confirmEmail, sendConfirmation, sendPasswordReset } from '../services/people/account-mail.ts'
import { registerUser } from '../services/people/users.ts'
import { implement } from './implement.ts'

export const applianceSessionRoutes = implement(applianceSession, {
  signIn: async ({ app, setSession }, { body: { email, password, staySignedIn, ...factor } }) => {
    const { user, refusal } = await app.signIns.signIn(email, password, factor)
    if (user) {
      setSession(await app.signIns.startSession(user, staySignedIn), staySignedIn)
    }
    return {
      isLockedOut: refusal === 'LockedOut',
      requiresTwoFactor: refusal === 'RequiresTwoFactor',
      requiresPasswordChange: refusal === 'RequiresPasswordChange',
      requiresEmailConfirmation: refusal === 'NotAllowed',
      user: user ? presentCurrentUser(user, false) : null,
    }
  },
  register: async (context, { body }) => {
    const { app, setSession } = context
    const user = await registerUser(app, body)
    if (!user) {
      throw invalid({ email: ['is already registered'] })
    }
    sendConfirmation(context, user)
    if (!app.config.appOptions.requireUserEmailConfirmation) {
      setSession(await app.signIns.startSession(user, false))
    }
    return presentCurrentUser(user, false)
  },
  requestPasswordReset: (context, { body }) => sendPasswordReset(context, body.email),
  confirmEmail: async ({ app }, { query: { userId, code, changedEmail } }) => {
    await confirmEmail(app, userId, code, changedEmail)
    return 'Thank you for confirming your email.'
  },
})
