import { issuePageTicket } from '../credentials/page-tickets.ts'
import { nameOfOnlyTenant } from '../organization/tenants.ts'
import { applianceSession } from '../../shared/api/appliance-session.ts'
import { badRequest } from '../ground/errors.ts'
import { accountOf } from '../ground/principal.ts'
import { presentCurrentUser, presentSignInOutcome } from '../people/present.ts'
import { confirmEmail, sendPasswordReset } from './account-mail.ts'
import { proveSession } from './own-credentials.ts'
import type { OpenRouteCall } from '../call/call.ts'
import { beginPasskeyProof } from './passkeys.ts'
import { enterAsNewUser, isRegistrationOpen, needsFirstAccount, registerUser } from './registration.ts'
import { signIn, startSession } from './sign-in.ts'
import { implement, signedInPerson } from '../surface/implement.ts'

/** Why this server only restores a backup. The paths in it are for the person at its computer. */
const problemFor = ({ app, isLocal }: OpenRouteCall): string | null =>
  app.restoreOnly === undefined
    ? null
    : isLocal()
      ? app.restoreOnly.problem
      : 'The data of this server cannot be opened.'

export const applianceSessionRoutes = implement(applianceSession, {
  signIn: async (call, { body: { email, password, staySignedIn, ...factor } }) => {
    const { user, refusal } = await signIn(call, email, password, factor)
    if (user) {
      await startSession(call, user, { isPersistent: staySignedIn })
    }
    return presentSignInOutcome({ user, refusal })
  },
  registration: async (call) => ({
    isOpen: call.app.restoreOnly !== undefined || (await isRegistrationOpen(call)),
    isFirst: call.app.restoreOnly !== undefined || (await needsFirstAccount(call)),
    problem: problemFor(call),
    themeMode: call.app.config.appOptions.defaultThemeMode,
    organizationName: await nameOfOnlyTenant(call),
  }),
  register: async (call, { body }) => {
    const user = await registerUser(call, body)
    return presentCurrentUser(await enterAsNewUser(call, user), { isOnline: false })
  },
  prove: (call, { body }) => proveSession(call, body),
  passkeyOptions: async (call) => beginPasskeyProof(signedInPerson(call)),
  issueTicket: ({ app, principal }) => {
    const { credential } = principal
    if (!('sessionId' in credential)) {
      throw badRequest('Only a session needs tickets. Send the token or key itself.')
    }
    return { ticket: issuePageTicket(app, credential.sessionId, accountOf(principal)) }
  },
  requestPasswordReset: (call, { body }) => sendPasswordReset(call, body.email),
  confirmEmail: async (call, { query: { userId, code, changedEmail } }) => {
    await confirmEmail(call, userId, code, changedEmail)
    return 'Thank you for confirming your email.'
  },
})
