import { z } from 'zod'
import type { ProviderAnswerDto } from '../../shared/dtos/identity-provider.ts'
import { beginCeremony, endCeremony, newChallenge } from '../identity/ceremonies.ts'
import type { CeremonyPurpose } from '../credentials/tickets.ts'
import type { App, OpenRouteCall } from '../call/call.ts'
import { AppError, found } from '../ground/errors.ts'
import type { ProviderPlace } from './providers.ts'
import { ProviderError, type ExternalIdentity } from './provider.ts'

/** Facts of a visit to a provider. */
const Visit = z.object({
  place: z.string(),
  redirectUri: z.string(),
  userId: z.string().nullable(),
  checks: z.object({ state: z.string(), nonce: z.string(), verifier: z.string() }),
})

export interface PlacedIdentity extends ExternalIdentity {
  place: ProviderPlace
}

export const labelAt = ({ identityProviders }: App, place: string): string =>
  identityProviders.get(place as ProviderPlace)?.label ?? 'an identity provider that is no longer set up'

const providerAt = ({ identityProviders }: App, place: ProviderPlace) => {
  return found(identityProviders.get(place), 'identity provider')
}

/** Runs work with a provider: its failure is a 400 or 503 with a sentence for the person. */
async function askProvider<T>({ log }: App, place: ProviderPlace, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ProviderError)) {
      throw error
    }
    // Only messages: other members hold tokens.
    const cause = error.cause instanceof Error ? [error.cause.message] : []
    const reason = [...cause, error.message].join(': ')
    log.warn({ place, reason }, 'A sign-in at an identity provider failed.')
    throw new AppError(error.isUnavailable ? 503 : 400, error.message)
  }
}

/** Begins a visit to a provider: the address for the browser, and the ticket for its answer. */
export async function beginVisit(
  call: OpenRouteCall,
  purpose: CeremonyPurpose,
  place: ProviderPlace,
  userId: string | null,
): Promise<{ ticket: string; url: string }> {
  const { app } = call
  const provider = providerAt(app, place)
  const redirectUri = `${call.siteOrigin()}/sign-in/callback/${place}`
  const checks = { state: newChallenge(), nonce: newChallenge(), verifier: newChallenge() }
  const ticket = beginCeremony(call, purpose, { place, redirectUri, userId, checks })
  const url = await askProvider(app, place, () => provider.begin(redirectUri, checks))
  return { ticket, url }
}

/** Ends a visit: the account that the provider vouches for. Throws 400 for a foreign ticket, 503 for a bad answer. */
export async function endVisit(
  call: OpenRouteCall,
  purpose: CeremonyPurpose,
  { place, userId, answer }: { place: ProviderPlace; userId: string | null; answer: ProviderAnswerDto },
): Promise<PlacedIdentity> {
  const { app } = call
  const provider = providerAt(app, place)
  const OwnVisit = Visit.extend({ place: z.literal(place), userId: z.literal(userId) })
  const { redirectUri, checks } = await endCeremony(call, purpose, OwnVisit, answer.ticket)
  const { query } = answer
  const identity = await askProvider(app, place, () => provider.finish({ redirectUri, query }, checks))
  return { ...identity, place }
}
