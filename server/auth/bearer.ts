import type { App } from '../call.ts'
import type { Scheme } from './scheme.ts'
import { isCurrent, issueTicket, readTicket } from './tickets.ts'

const prefix = /^bearer\s+/i

export interface Tokens {
  accessToken: string
  refreshToken: string
  expiresInSeconds: number
}

/** Tokens for a user who has signed in. */
export function issueTokens(app: App, user: { id: string; securityStamp: string }): Tokens {
  const { interactiveBearerTokenExpirationMinutes, interactiveRefreshTokenExpirationDays } = app.config.appOptions
  const expiresInSeconds = interactiveBearerTokenExpirationMinutes * 60
  const refreshLifetimeMs = interactiveRefreshTokenExpirationDays * 24 * 60 * 60 * 1000
  return {
    accessToken: issueTicket(app, 'access-token', user, expiresInSeconds * 1000),
    refreshToken: issueTicket(app, 'refresh-token', user, refreshLifetimeMs),
    expiresInSeconds,
  }
}

/** New tokens for a refresh token; undefined for an invalid one. */
export function refreshTokens(app: App, refreshToken: string): Tokens | undefined {
  const ticket = readTicket(app, 'refresh-token', refreshToken)
  return ticket && issueTokens(app, { id: ticket.userId, securityStamp: ticket.securityStamp })
}

/** `Authorization: Bearer <access token>`, where it is turned on. An invalid token is a missing credential. */
export const createBearerScheme = (app: App): Scheme => ({
  handles: ({ headers }) =>
    app.config.appOptions.enableInteractiveBearerLogin && prefix.test(headers.authorization ?? ''),
  authenticate({ headers }) {
    const token = headers.authorization?.replace(prefix, '').trim() ?? ''
    const ticket = readTicket(app, 'access-token', token)
    const account = ticket && app.accounts.get(ticket.userId)
    if (!account) {
      return undefined
    }
    const isLive = () => isCurrent(app, ticket)
    return {
      kind: 'User',
      id: account.id,
      tenantId: account.tenantId,
      name: account.userName,
      isUnrestricted: false,
      credential: { kind: 'BearerToken' },
      isLive,
      use: isLive,
    }
  },
})
