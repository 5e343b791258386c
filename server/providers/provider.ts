import type { Configuration } from 'openid-client'
import { domainToASCII } from 'node:url'
import { isLoopbackHost } from '../ground/machine.ts'
import { findingOf } from './findings.ts'

export interface ProviderOptions {
  clientId: string
  clientSecret: string
  issuer: string
  label: string
  scopes: string
  /** Domain of verified addresses; undefined accepts all accounts. */
  allowedDomain: string | undefined
}

/** An account at a provider, as the provider has just vouched for it. */
export interface ExternalIdentity {
  issuer: string
  /** Id of the account, which never changes. */
  subject: string
  /** To recognize the account by; proves nothing. */
  email: string | null
  name: string
}

/** Texts that bind the answer of a provider to its request. */
export interface ProviderChecks {
  state: string
  nonce: string
  verifier: string
}

/** Answer of a provider: the address that it sent the browser to, without the query, and the query. */
export interface ProviderAnswer {
  redirectUri: string
  query: string
}

/** A failed sign-in at a provider; the message is for the person. */
export class ProviderError extends Error {
  override name = 'ProviderError'
  /** True if the provider did not answer at all. */
  readonly isUnavailable: boolean

  constructor(message: string, { cause, isUnavailable = false }: { cause?: unknown; isUnavailable?: boolean } = {}) {
    super(message, { cause })
    this.isUnavailable = isUnavailable
  }
}

export interface IdentityProvider {
  label: string
  kind: 'OpenIdConnect' | 'GitHub'
  /** Address that the browser is sent to. Throws `ProviderError`. */
  begin(redirectUri: string, checks: ProviderChecks): Promise<string>
  /** Verifies an answer with the provider. Throws `ProviderError`. */
  finish(answer: ProviderAnswer, checks: ProviderChecks): Promise<ExternalIdentity>
}

/** Loaded on first use: most servers have no provider. */
export const library = () => import('openid-client')

/** Whether an address may be used without TLS: only on this machine. */
export const isOnThisMachine = (address: string): boolean => isLoopbackHost(new URL(address).hostname)

/** Address that asks the provider to authenticate the person. */
export async function authorizationUrl(
  config: Configuration,
  {
    redirectUri,
    scope,
    checks: { state, verifier },
    more,
  }: {
    redirectUri: string
    scope: string
    checks: ProviderChecks
    more: Record<string, string>
  },
): Promise<string> {
  const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library()
  const url = buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...more,
  })
  return url.href
}

const domainOf = (address: string) => domainToASCII(address.split('@').at(-1) ?? '')

/** Throws unless the account has a verified address in the allowed domain. */
export function checkDomain(
  { label, allowedDomain }: Pick<ProviderOptions, 'label' | 'allowedDomain'>,
  { email, isVerified }: { email: string | null; isVerified: boolean },
): void {
  if (allowedDomain === undefined || (email && isVerified && domainOf(email) === domainToASCII(allowedDomain))) {
    return
  }
  const seen = email === null ? 'no address' : isVerified ? email : `${email}, which ${label} does not call verified`
  throw new ProviderError(
    `This server accepts only ${label} accounts with a verified address in ${allowedDomain}, and saw ${seen}. Choose another account.`,
  )
}

const advice = 'Try again later, or sign in another way.'

const errorNamed = (error: unknown, name: string): boolean =>
  error instanceof Error && (error.name === name || errorNamed(error.cause, name))

const isUnreachable = (error: unknown): boolean =>
  error instanceof Error && (error.message === 'fetch failed' || isUnreachable(error.cause))

const codeOf = (error: unknown) => (error instanceof Error && 'error' in error ? error.error : undefined)

/** Explains a failure to the person: what was expected of the provider, and what was seen. */
export function explain(label: string, error: unknown): ProviderError {
  if (error instanceof ProviderError) {
    return error
  }
  if (codeOf(error) === 'access_denied') {
    return new ProviderError(`${label} did not sign you in: you declined, or your account may not use this server.`)
  }
  const isLate = errorNamed(error, 'TimeoutError')
  const isUnavailable = isLate || isUnreachable(error)
  const what = isLate
    ? 'did not answer in time'
    : isUnavailable
      ? 'cannot be reached from this server'
      : 'gave an answer that this server does not accept'
  const finding = isUnavailable ? undefined : findingOf(error)
  return new ProviderError([`${label} ${what}.`, finding, advice].filter(Boolean).join(' '), {
    cause: error,
    isUnavailable,
  })
}
