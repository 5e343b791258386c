import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import { z } from 'zod'
import { dayMs } from '../../shared/durations.ts'
import type { App, OpenCall } from '../call/call.ts'
import { asUser } from '../ground/principal.ts'
import { RecentEntries } from '../ground/recent-entries.ts'
import { seenFirst, type SignInOrigin } from './session-mirror.ts'
import type { Scheme, SchemeOptions } from './scheme.ts'
import { sealedFor, unsealedFor } from './tickets.ts'
import { deleteWhere } from '../engines/database/delete-where.ts'

const prefix = /^bearer\s+/i

export interface Tokens {
  accessToken: string
  refreshToken: string
  expiresInSeconds: number
}

const AccessToken = z.object({ familyId: z.string(), expiresAt: z.number() })
const RefreshToken = AccessToken.extend({ generation: z.number() })

function lifetimesOf({ config: { appOptions } }: App) {
  const accessSeconds = appOptions.interactiveBearerTokenExpirationMinutes * 60
  const refreshMs = appOptions.interactiveRefreshTokenExpirationDays * dayMs
  return { accessSeconds, refreshMs, familyMs: Math.max(refreshMs, accessSeconds * 1000) }
}

function tokensOf(app: App, familyId: string, generation: number): Tokens {
  const { accessSeconds, refreshMs } = lifetimesOf(app)
  const now = app.clock.now()
  return {
    accessToken: sealedFor(app, 'access-token', { familyId, expiresAt: now + accessSeconds * 1000 }),
    refreshToken: sealedFor(app, 'refresh-token', { familyId, expiresAt: now + refreshMs, generation }),
    expiresInSeconds: accessSeconds,
  }
}

/** Creates a family of tokens for a signed-in user. `before` runs in the transaction that stores the family. */
export async function issueTokens(
  app: App,
  { id: userId }: { id: string },
  from: SignInOrigin,
  before: (transaction: Transaction) => Promise<void>,
): Promise<Tokens> {
  const { database, models, clock } = app
  const now = clock.now()
  const expiresAt = now + lifetimesOf(app).familyMs
  const row = { id: randomUUID(), userId, generation: 1, createdAt: now, expiresAt, ...seenFirst(from, now) }
  await database.write(async (transaction) => {
    await before(transaction)
    await models.TokenFamily.create(row, { transaction })
  })
  return tokensOf(app, row.id, row.generation)
}

/** Ends a family: revokes all its tokens, and closes their live connections. */
export async function endTokenFamily({ database, models }: App, id: string): Promise<void> {
  await database.write((transaction) => models.TokenFamily.destroy({ where: { id }, transaction }))
}

/**
 * Issues new tokens for a refresh token, which works once; undefined for an invalid token. A reused refresh token was
 * stolen by one of its two users, so the whole family is revoked.
 */
export async function refreshTokens(app: App, refreshToken: string): Promise<Tokens | undefined> {
  const { database, models, clock, log } = app
  const token = unsealedFor(app, 'refresh-token', RefreshToken, refreshToken)
  const family = token && app.tokenFamilies.get(token.familyId)
  if (!family || token.expiresAt <= clock.now()) {
    return undefined
  }
  const { familyId: id, generation } = token
  const next = generation + 1
  const changes = { generation: next, expiresAt: clock.now() + lifetimesOf(app).familyMs }
  const [refreshed] = await database.write((transaction) =>
    models.TokenFamily.update(changes, { where: { id, generation }, transaction }),
  )
  if (refreshed === 1) {
    return tokensOf(app, id, next)
  }
  log.warn(
    { userId: family.userId, familyId: id },
    'A refresh token was used twice. All tokens of its sign-in are revoked.',
  )
  await endTokenFamily(app, id)
  return undefined
}

/** Maximum number of unsealed access tokens in the cache. */
const maxUnsealed = 1_000

/** Reads access tokens. Unsealing takes as long as all the rest of a small read, so results are cached. */
function accessTokenReader(app: App): (text: string) => z.output<typeof AccessToken> | undefined {
  const unsealed = new RecentEntries<z.output<typeof AccessToken>>(maxUnsealed)
  return (text) => {
    const known = unsealed.get(text)
    if (known) {
      return known
    }
    const token = unsealedFor(app, 'access-token', AccessToken, text)
    if (token) {
      unsealed.set(text, token)
    }
    return token
  }
}

/** `Authorization: Bearer <access token>`, if enabled. An invalid token counts as a missing credential. */
export function createBearerScheme(app: App, { remoteAddressOf }: SchemeOptions): Scheme {
  const readAccessToken = accessTokenReader(app)
  return {
    handles: ({ headers }) =>
      app.config.appOptions.enableInteractiveBearerLogin && prefix.test(headers.authorization ?? ''),
    authenticate(request) {
      const { headers } = request
      const text = headers.authorization?.replace(prefix, '').trim() ?? ''
      const token = readAccessToken(text)
      if (!token) {
        return undefined
      }
      const { familyId, expiresAt } = token
      const familyNow = () => (expiresAt > app.clock.now() ? app.tokenFamilies.get(familyId) : undefined)
      const account = app.accounts.get(familyNow()?.userId ?? '')
      const isLive = () => familyNow() !== undefined
      if (isLive()) {
        app.tokenFamilies.seen.note(familyId, remoteAddressOf(request))
      }
      return (
        account && {
          ...asUser(account),
          credential: { kind: 'BearerToken', familyId },
          isLive,
          use: isLive,
        }
      )
    },
  }
}

export const removeExpiredTokenFamilies = ({ app }: OpenCall): Promise<void> =>
  deleteWhere(app, 'token_families', 'expiresAt <= ?', app.clock.now())
