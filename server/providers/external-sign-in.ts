import { z } from 'zod'
import type { ProviderAnswerDto } from '../../shared/dtos/identity-provider.ts'
import { actorOfUser } from '../ground/actor.ts'
import { beginCeremony, openCeremony } from '../identity/ceremonies.ts'
import type { App, OpenRouteCall } from '../call/call.ts'
import { badRequest } from '../ground/errors.ts'
import type { ProviderPlace } from './providers.ts'
import type { UserRow } from '../people/tables.ts'
import { endVisit, labelAt, type PlacedIdentity } from './provider-visits.ts'
import { newLogin } from './external-logins.ts'
import { registerUser } from '../identity/registration.ts'
import type { SecondFactor } from '../identity/second-factor.ts'
import { noteSignIn, refusalWithFactor, type SignIn } from '../identity/sign-in.ts'
import { getUser } from '../people/users.ts'
import { counterOfLogin } from '../identity/lockout.ts'

/** An account at a provider, sealed for the page until a code or a registration follows. */
const Identity = z.object({
  place: z.enum(['a', 'b']),
  issuer: z.string(),
  subject: z.string(),
  email: z.string().nullable(),
  name: z.string(),
})

/** Finds the link of an account at a provider. Its address counts for nothing (T24). */
const findLogin = ({ models }: App, { place, issuer, subject }: PlacedIdentity) =>
  models.ExternalLogin.findOne({ where: { provider: place, issuer, subject } })

/** Checks whether the user may sign in, with a code where the account asks for one. */
async function checkUser(app: App, user: UserRow, loginId: string, factor: SecondFactor) {
  const counter = counterOfLogin(app, user.id, loginId)
  if (user.isTwoFactorEnabled && counter.isLocked()) {
    return 'LockedOut'
  }
  const refusal = await refusalWithFactor(app, counter, user, factor)
  if (!refusal) {
    await counter.clear()
  }
  return refusal
}

/** Records a rejected sign-in through a provider, of a user or of nobody. */
async function recordFailure(
  { app, actor }: OpenRouteCall,
  { place }: PlacedIdentity,
  user: UserRow | undefined,
  reason: string,
) {
  await app.audit.record(user ? actorOfUser(actor, user) : actor, {
    kind: 'sign-in.provider',
    outcome: 'failure',
    details: { provider: labelAt(app, place), reason },
  })
}

/** Signs in the user who linked the account; undefined if nobody did. Attempts of one user are serialized. */
async function signInLinked(
  call: OpenRouteCall,
  identity: PlacedIdentity,
  factor: SecondFactor,
): Promise<SignIn | undefined> {
  const { app } = call
  const login = await findLogin(app, identity)
  if (!login) {
    await recordFailure(call, identity, undefined, 'NotLinked')
    return undefined
  }
  const { id, userId } = login
  return app.signInAttempts.serialize(userId, async (): Promise<SignIn> => {
    const user = await getUser(call, userId)
    const refusal = await checkUser(app, user, id, factor)
    if (refusal) {
      if (refusal !== 'RequiresTwoFactor') {
        await recordFailure(call, identity, user, refusal)
      }
      return { refusal }
    }
    const lastUsedAt = app.clock.now()
    await app.database.write((transaction) =>
      app.models.ExternalLogin.update({ lastUsedAt }, { where: { id }, transaction }),
    )
    return noteSignIn(call, user, { kind: 'sign-in.provider', details: { provider: labelAt(app, identity.place) } })
  })
}

export interface ExternalSignIn {
  identity: PlacedIdentity
  /** Undefined if no user has linked the account. */
  signIn: SignIn | undefined
  /** Proof of the account, for the code or the registration that must follow. */
  ticket: string | null
}

/** Signs in with the answer of a provider. Throws 400 for a foreign ticket, 503 for a bad answer. */
export async function signInWithProvider(
  call: OpenRouteCall,
  place: ProviderPlace,
  answer: ProviderAnswerDto,
): Promise<ExternalSignIn> {
  const identity = await endVisit(call, 'provider-sign-in', { place, userId: null, answer })
  const signIn = await signInLinked(call, identity, {})
  const isContinued = !signIn || signIn.refusal === 'RequiresTwoFactor'
  return { identity, signIn, ticket: isContinued ? beginCeremony(call, 'provider-identity', identity) : null }
}

/** Finishes a sign-in through a provider with a code. Wrong codes count as they do after a password. */
export async function signInWithCode(call: OpenRouteCall, ticket: string, factor: SecondFactor): Promise<SignIn> {
  const { value: identity, use } = await openCeremony(call, 'provider-identity', Identity, ticket)
  const signIn = await signInLinked(call, identity, factor)
  if (signIn?.user) {
    await use()
  }
  return signIn ?? { refusal: 'Failed' }
}

/** Opens an account at a provider that no user has linked. Throws 400 for another. */
export async function openUnlinked(call: OpenRouteCall, ticket: string) {
  const opened = await openCeremony(call, 'provider-identity', Identity, ticket)
  if (await findLogin(call.app, opened.value)) {
    throw badRequest('This account is linked to a user already. Sign in with it.')
  }
  return opened
}

interface Registration {
  identity: string
  email: string
  organizationName?: string | undefined
  setupCode?: string | undefined
}

/** Registers a user whose only way in is the account at the provider. Returns undefined for a taken address. */
export async function registerWithProvider(
  call: OpenRouteCall,
  { identity: ticket, ...registration }: Registration,
): Promise<UserRow | undefined> {
  const { app } = call
  const { value: identity, use } = await openUnlinked(call, ticket)
  const user = await registerUser(call, registration, (userId, transaction) =>
    app.models.ExternalLogin.create(newLogin(identity, userId, app.clock.now()), { transaction }),
  )
  if (user) {
    await use()
  }
  return user
}
