import { applianceIdentityProviders } from '../../shared/api/appliance-identity-providers.ts'
import type { ProviderDto } from '../../shared/dtos/identity-provider.ts'
import type { App } from '../call/call.ts'
import { presentLogin } from './present.ts'
import { presentCurrentUser, presentSignInOutcome } from '../people/present.ts'
import { beginVisit } from './provider-visits.ts'
import { beginLink, linkLogin, listLogins, unlinkLogin } from './external-logins.ts'
import { registerWithProvider, signInWithCode, signInWithProvider } from './external-sign-in.ts'
import { enterAsNewUser, isRegistrationOpen } from '../identity/registration.ts'
import { startSession, type SignIn } from '../identity/sign-in.ts'
import { describeSite } from '../identity/webauthn.ts'
import { implement, signedInPerson } from '../surface/implement.ts'

const presentProviders = ({ identityProviders }: App): ProviderDto[] =>
  [...identityProviders].map(([place, { label, kind }]) => ({ place, label, kind }))

const notLinked: SignIn = { refusal: 'Failed' }
const browserSession = { isPersistent: false }

export const applianceIdentityProviderRoutes = implement(applianceIdentityProviders, {
  ways: (call) => ({ passkeys: describeSite(call.siteOrigin()), providers: presentProviders(call.app) }),
  begin: (call, { params: { place } }) => beginVisit(call, 'provider-sign-in', place, null),
  answer: async (call, { params: { place }, body }) => {
    const { identity, signIn, ticket } = await signInWithProvider(call, place, body)
    if (signIn?.user) {
      await startSession(call, signIn.user, browserSession)
    }
    return {
      ...presentSignInOutcome(signIn ?? notLinked),
      identity: ticket,
      isLinked: signIn !== undefined,
      isRegistrationOpen: await isRegistrationOpen(call),
      name: identity.name,
      email: identity.email,
    }
  },
  secondFactor: async (call, { body: { identity, ...factor } }) => {
    const signIn = await signInWithCode(call, identity, factor)
    if (signIn.user) {
      await startSession(call, signIn.user, browserSession)
    }
    return presentSignInOutcome(signIn)
  },
  register: async (call, { body }) => {
    const user = await registerWithProvider(call, body)
    return presentCurrentUser(await enterAsNewUser(call, user), { isOnline: false })
  },
  logins: async (call) => ({
    items: (await listLogins(signedInPerson(call))).map(presentLogin),
    providers: presentProviders(call.app),
    origin: describeSite(call.siteOrigin()).origin,
  }),
  beginLink: async (call, { params: { place } }) => beginLink(signedInPerson(call), place),
  link: async (call, { params: { place }, body }) => presentLogin(await linkLogin(signedInPerson(call), place, body)),
  unlink: async (call, { params: { loginId } }) => unlinkLogin(signedInPerson(call), loginId),
})
