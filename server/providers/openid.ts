import type {
  ClientAuth,
  Configuration,
  IDToken,
  TokenEndpointResponse,
  TokenEndpointResponseHelpers,
} from 'openid-client'
import { hourMs } from '../../shared/durations.ts'
import { boundedFetch } from './bounded-fetch.ts'
import {
  authorizationUrl,
  checkDomain,
  explain,
  isOnThisMachine,
  library,
  type ExternalIdentity,
  type IdentityProvider,
  type ProviderOptions,
} from './provider.ts'

type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers

/** Time for which the description of a provider is kept. */
const discoveryLifetimeMs = hourMs

const textOf = (claim: unknown) => (typeof claim === 'string' && claim !== '' ? claim : null)

/** Reads the description of the provider at its issuer. */
async function discover({ issuer, clientId, clientSecret }: ProviderOptions): Promise<Configuration> {
  const client = await library()
  // By the standard, providers without a list of methods support the header.
  const authenticate: ClientAuth = (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const isInHeader = methods.includes('client_secret_basic')
    const send = isInHeader ? client.ClientSecretBasic(clientSecret) : client.ClientSecretPost(clientSecret)
    return send(server, ...rest)
  }
  const plain = isOnThisMachine(issuer) ? [client.allowInsecureRequests] : []
  return client.discovery(new URL(issuer), clientId, undefined, authenticate, {
    [client.customFetch]: boundedFetch,
    // The signature of the token counts, even though it comes from the provider's own address.
    execute: [...plain, client.enableNonRepudiationChecks],
  })
}

/** Accepts the text, too: Amazon Cognito and others send texts in place of flags. */
const isTrue = (claim: unknown) => claim === true || claim === 'true'

const lacks = (claims: Record<string, unknown>, { allowedDomain }: ProviderOptions) =>
  textOf(claims['email']) === null || (allowedDomain !== undefined && !isTrue(claims['email_verified']))

/** Claims of the token, and of the provider's userinfo where the token lacks the address. */
async function claimsOf(configuration: Configuration, tokens: Tokens, options: ProviderOptions): Promise<IDToken> {
  const claims = tokens.claims()!
  if (!lacks(claims, options) || configuration.serverMetadata().userinfo_endpoint === undefined) {
    return claims
  }
  const { fetchUserInfo } = await library()
  const asked = fetchUserInfo(configuration, tokens.access_token, claims.sub)
  // Without an allowed domain the address is only shown.
  const info = await (options.allowedDomain === undefined ? asked.catch(() => undefined) : asked)
  // An address and whether it is verified come from one answer.
  return info && textOf(info.email) !== null
    ? { ...info, ...claims, email: info.email, email_verified: info.email_verified }
    : { ...info, ...claims }
}

function identityOf(claims: IDToken, options: ProviderOptions): ExternalIdentity {
  const email = textOf(claims['email'])
  checkDomain(options, { email, isVerified: isTrue(claims['email_verified']) })
  const name = email ?? textOf(claims['preferred_username']) ?? textOf(claims['name']) ?? claims.sub
  return { issuer: claims.iss, subject: claims.sub, email, name: name.slice(0, 256) }
}

/** A provider that speaks OpenID Connect. */
export function openIdProvider(options: ProviderOptions, now: () => number): IdentityProvider {
  const { label, scopes } = options
  let known: { configuration: Promise<Configuration>; at: number } | undefined
  const configuration = () => {
    if (!known || now() - known.at > discoveryLifetimeMs) {
      const discovered = discover(options)
      known = { configuration: discovered, at: now() }
      discovered.catch(() => {
        known = undefined
      })
    }
    return known.configuration
  }
  return {
    label,
    kind: 'OpenIdConnect',
    async begin(redirectUri, checks) {
      try {
        const more = { nonce: checks.nonce }
        return await authorizationUrl(await configuration(), { redirectUri, scope: scopes, checks, more })
      } catch (error) {
        throw explain(label, error)
      }
    },
    async finish({ redirectUri, query }, { state, nonce, verifier }) {
      try {
        const { authorizationCodeGrant } = await library()
        const tokens = await authorizationCodeGrant(await configuration(), new URL(`${redirectUri}?${query}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        return identityOf(await claimsOf(await configuration(), tokens, options), options)
      } catch (error) {
        throw explain(label, error)
      }
    },
  }
}
