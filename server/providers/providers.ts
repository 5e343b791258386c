import type { Config } from '../settings/config.ts'
import { gitHubIssuer, gitHubProvider } from './github.ts'
import { openIdProvider } from './openid.ts'
import type { IdentityProvider } from './provider.ts'

/** Places of providers in the configuration. */
export type ProviderPlace = 'a' | 'b'

export type IdentityProviders = ReadonlyMap<ProviderPlace, IdentityProvider>

/** Accounts of all organizations and private people. */
const microsoftIssuer = 'https://login.microsoftonline.com/common/v2.0'

interface Settings {
  clientId: string | undefined
  clientSecret: string | undefined
  kind: IdentityProvider['kind'] | undefined
  issuer: string | undefined
  label: string | undefined
  scopes: string | undefined
  allowedDomain: string | undefined
}

const settingsOf = (options: Config['appOptions']): Record<ProviderPlace, Settings> => ({
  a: {
    clientId: options.identityProviderAClientId,
    clientSecret: options.identityProviderAClientSecret,
    kind: options.identityProviderAKind,
    issuer: options.identityProviderAIssuer,
    label: options.identityProviderALabel,
    scopes: options.identityProviderAScopes,
    allowedDomain: options.identityProviderAAllowedDomain,
  },
  b: {
    clientId: options.identityProviderBClientId,
    clientSecret: options.identityProviderBClientSecret,
    kind: options.identityProviderBKind ?? (options.identityProviderBIssuer === undefined ? 'GitHub' : undefined),
    issuer: options.identityProviderBIssuer,
    label: options.identityProviderBLabel,
    scopes: options.identityProviderBScopes,
    allowedDomain: options.identityProviderBAllowedDomain,
  },
})

function providerOf({ clientId, clientSecret, kind, ...more }: Settings, now: () => number) {
  if (clientId === undefined || clientSecret === undefined) {
    return undefined
  }
  const client = { clientId, clientSecret, allowedDomain: more.allowedDomain }
  if (kind === 'GitHub') {
    const { issuer = gitHubIssuer, label = 'GitHub', scopes = 'read:user user:email' } = more
    return gitHubProvider({ ...client, issuer, label, scopes })
  }
  const { issuer = microsoftIssuer, scopes = 'openid profile email' } = more
  const label = more.label ?? (issuer === microsoftIssuer ? 'Microsoft' : new URL(issuer).hostname)
  return openIdProvider({ ...client, issuer, label, scopes }, now)
}

export function identityProvidersOf(options: Config['appOptions'], now: () => number): IdentityProviders {
  const { a, b } = settingsOf(options)
  const providers = new Map<ProviderPlace, IdentityProvider>()
  for (const [place, settings] of [
    ['a', a],
    ['b', b],
  ] as const) {
    const provider = providerOf(settings, now)
    if (provider) {
      providers.set(place, provider)
    }
  }
  return providers
}
