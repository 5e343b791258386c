import { z } from 'zod'
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

export const gitHubIssuer = 'https://github.com'

/** Addresses of GitHub, or of an Enterprise Server. */
const endpointsOf = (issuer: string) => {
  const base = issuer.replace(/\/+$/, '')
  return {
    authorization: `${base}/login/oauth/authorize`,
    token: `${base}/login/oauth/access_token`,
    api: base === gitHubIssuer ? 'https://api.github.com' : `${base}/api/v3`,
  }
}

const User = z.object({ id: z.int(), login: z.string().max(256) })
const Emails = z.array(z.object({ email: z.string().max(256), primary: z.boolean(), verified: z.boolean() }))

/** GitHub uses OAuth 2 without identity tokens: its API names the user who signed in. */
export function gitHubProvider(options: ProviderOptions): IdentityProvider {
  const { clientId, clientSecret, issuer, label, scopes } = options
  const endpoints = endpointsOf(issuer)

  const configure = async () => {
    const client = await library()
    const { authorization: authorization_endpoint, token: token_endpoint } = endpoints
    const server = { issuer, authorization_endpoint, token_endpoint }
    const config = new client.Configuration(server, clientId, undefined, client.ClientSecretPost(clientSecret))
    config[client.customFetch] = boundedFetch
    if (isOnThisMachine(issuer)) {
      client.allowInsecureRequests(config)
    }
    return { client, config }
  }

  const read = async <T extends z.ZodType>(path: string, accessToken: string, schema: T): Promise<z.output<T>> => {
    const { client, config } = await configure()
    const headers = new Headers({ accept: 'application/vnd.github+json', 'user-agent': 'Farhand' })
    const address = new URL(endpoints.api + path)
    const response = await client.fetchProtectedResource(config, accessToken, address, 'GET', undefined, headers)
    return schema.parse(await response.json())
  }

  const identityOf = async (accessToken: string): Promise<ExternalIdentity> => {
    const { id, login } = await read('/user', accessToken, User)
    const emails = await read('/user/emails', accessToken, Emails)
    const email = emails.find(({ primary, verified }) => primary && verified)?.email ?? null
    checkDomain(options, { email, isVerified: true })
    return { issuer, subject: String(id), email, name: login }
  }

  return {
    label,
    kind: 'GitHub',
    async begin(redirectUri, checks) {
      const { config } = await configure()
      return authorizationUrl(config, { redirectUri, scope: scopes, checks, more: {} })
    },
    async finish({ redirectUri, query }, { state, verifier }) {
      try {
        const { client, config } = await configure()
        const answer = new URL(`${redirectUri}?${query}`)
        const checks = { expectedState: state, pkceCodeVerifier: verifier }
        const tokens = await client.authorizationCodeGrant(config, answer, checks)
        return await identityOf(tokens.access_token)
      } catch (error) {
        throw explain(label, error)
      }
    },
  }
}
