import { dayMs } from '../../shared/durations.ts'
import { cutText } from '../../shared/cut-text.ts'
import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash, randomBytes } from 'node:crypto'
import { ForeignKeyConstraintError, Op, type Transaction } from 'sequelize'
import type { Touched } from '../engines/database/database.ts'
import { unauthorized } from '../ground/errors.ts'
import type { LogonTokenRow, SessionRow } from './tables.ts'
import type { Maker } from '../ground/principal.ts'
import { hashSecret } from '../engines/secrets/hashes.ts'
import { LastSeen } from './last-seen.ts'
import { keysIn, Mirror, type MirrorDependencies } from '../call/mirrors/mirror.ts'

/** Interval of deleting expired sessions. */
const sweepMs = 5_000

/** Lifetime of an unused session: with "stay signed in", and as a browser session. */
const sessionLifetimeMs = { persistent: 30 * dayMs, browser: dayMs }

/** Restrictions of a session from a logon token. */
export interface SessionGrant extends Maker {
  id: string
  deviceId: string
  /** Null allows every desktop session of the device. */
  allowedDesktopSessionIds: readonly number[] | null
  /** Correlation id of the system that made the logon token; null if not given. */
  correlationId: string | null
  /** The restricted token that made the logon token. */
  madeWith: string | null
}

export interface LiveSession extends Omit<SessionRow, 'lastSeenAt' | 'remoteAddress' | 'userAgent'> {
  /** Undefined for a normal sign-in. A session with a grant expires at a fixed time, used or not. */
  grant: SessionGrant | undefined
}

type Row = SessionRow & { key: string } & {
  [Column in 'deviceId' | 'allowedDesktopSessionIds' | 'sessionCorrelationId' | 'madeWith' | 'makerKind' | 'makerId']:
    | LogonTokenRow[Column]
    | null
}

const grantOf = (row: Row): SessionGrant | undefined => {
  const { logonTokenId, deviceId, allowedDesktopSessionIds, sessionCorrelationId, madeWith, makerKind, makerId } = row
  return logonTokenId === null || deviceId === null
    ? undefined
    : {
        id: logonTokenId,
        deviceId,
        // An unknown maker may do nothing.
        makerKind: makerKind ?? 'User',
        makerId: makerId ?? '',
        correlationId: sessionCorrelationId,
        madeWith,
        allowedDesktopSessionIds:
          allowedDesktopSessionIds === null ? null : (JSON.parse(allowedDesktopSessionIds) as number[]),
      }
}

/** Address and program that sign in. */
export interface SignInOrigin {
  remoteAddress: string
  userAgent: string | null
}

/** Longest `User-Agent` that is stored. */
const longestUserAgent = 400

/** Columns of a sign-in that begins now. */
export const seenFirst = ({ remoteAddress, userAgent }: SignInOrigin, now: number) => ({
  lastSeenAt: now,
  remoteAddress,
  userAgent: userAgent === null ? null : cutText(userAgent, longestUserAgent),
})

const hashToken = (token: string) => createHash('sha256').update(token).digest('base64url')

/** Id of a session in lists: its token cannot be worked out of it, nor can the hash that the database holds. */
export function publicIdOf(tokenHash: string): string {
  const hex = createHash('sha256').update(`listed ${tokenHash}`).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

const lifetimeOf = (isPersistent: boolean) => sessionLifetimeMs[isPersistent ? 'persistent' : 'browser']

interface NewSession {
  token: string
  session: LiveSession
}

/** Runs in the transaction that stores the session. */
type Before = (transaction: Transaction) => Promise<void>

/**
 * Mirror of the cookie sessions, by the hash of their token. Rows survive a restart; finding a session needs no query.
 */
export class Sessions extends Mirror<Row, LiveSession> {
  protected readonly sql = `SELECT s.tokenHash AS key, s.*, t.deviceId, t.allowedDesktopSessionIds, t.sessionCorrelationId, t.madeWith,
      t.makerKind, t.makerId
    FROM sessions AS s LEFT JOIN logon_tokens AS t ON t.id = s.logonTokenId`
  readonly seen: LastSeen
  readonly #deps: MirrorDependencies
  /**
   * Leaves the async context of a write, which may use a session while it follows a commit; storing the session must
   * queue as a separate write.
   */
  readonly #outsideOfWrites = AsyncLocalStorage.snapshot()
  /** Token hash of the session of each logon token. */
  readonly #granted = new Map<string, string>()

  constructor(deps: MirrorDependencies) {
    super(deps.database)
    this.#deps = deps
    this.seen = new LastSeen(deps, 'sessions', 'tokenHash')
  }

  override keysOf(touched: Touched): Iterable<string> {
    return keysIn(touched, 'sessions')
  }

  protected override added(tokenHash: string, { grant }: LiveSession): void {
    if (grant) {
      this.#granted.set(grant.id, tokenHash)
    }
  }

  protected override removed(_: string, { grant }: LiveSession): void {
    if (grant) {
      this.#granted.delete(grant.id)
    }
  }

  protected override entryOf(row: Row, _: readonly Row[], known: LiveSession | undefined): LiveSession {
    const {
      key: _key,
      deviceId: _deviceId,
      allowedDesktopSessionIds: _ids,
      sessionCorrelationId: _correlation,
      madeWith: _with,
      makerKind: _kind,
      makerId: _maker,
      lastSeenAt: _at,
      remoteAddress: _address,
      userAgent: _agent,
      ...own
    } = row
    return {
      ...own,
      isPersistent: Boolean(row.isPersistent),
      // Memory prolongs a session before the database does.
      expiresAt: Math.max(row.expiresAt, known?.expiresAt ?? 0),
      grant: grantOf(row),
    }
  }

  protected override storedOf({ expiresAt: _, ...session }: LiveSession): unknown {
    return session
  }

  /** Starts deleting expired sessions. Returns a stop function. */
  start(): () => void {
    const deleteExpired = () => void this.#inBackground(this.#deleteExpired())
    deleteExpired()
    return this.#deps.clock.every(sweepMs, deleteExpired)
  }

  /** Creates a session and returns the token for the cookie; only hashes of the token and the page key are stored. */
  async begin(
    userId: string,
    { isPersistent, pageKey, from }: { isPersistent: boolean; pageKey: string | undefined; from: SignInOrigin },
    before?: Before,
  ): Promise<string> {
    const expiresAt = this.#deps.clock.now() + lifetimeOf(isPersistent)
    const pageKeyHash = pageKey === undefined ? null : hashSecret(pageKey)
    const columns = { userId, isPersistent, expiresAt, logonTokenId: null, pageKeyHash }
    const { token } = await this.#store(columns, from, before)
    return token
  }

  /** Creates a session from a logon token. With a page key, only the page with the key can use the session. */
  beginGranted(
    { id: logonTokenId, userId, expiresAt }: LogonTokenRow,
    pageKey: string | undefined,
    from: SignInOrigin,
    before: Before,
  ): Promise<NewSession> {
    const pageKeyHash = pageKey === undefined ? null : hashSecret(pageKey)
    const columns = { userId, isPersistent: false, expiresAt, logonTokenId, pageKeyHash }
    return this.#store(columns, from, before)
  }

  async #store(
    columns: Omit<SessionRow, 'tokenHash' | 'createdAt' | 'provedAt' | keyof ReturnType<typeof seenFirst>>,
    from: SignInOrigin,
    before?: Before,
  ): Promise<NewSession> {
    const { database, models, clock } = this.#deps
    const token = randomBytes(32).toString('base64url')
    const now = clock.now()
    const row: SessionRow = {
      tokenHash: hashToken(token),
      createdAt: now,
      provedAt: now,
      ...seenFirst(from, now),
      ...columns,
    }
    try {
      await database.write(async (transaction) => {
        await before?.(transaction)
        await models.Session.create(row, { transaction })
      })
    } catch (error) {
      throw error instanceof ForeignKeyConstraintError ? unauthorized('This account does not exist any more.') : error
    }
    const session = this.held.get(row.tokenHash)
    if (!session) {
      throw unauthorized('This account does not exist any more.')
    }
    return { token, session }
  }

  /** The live session of a token; counts as a use. */
  find(token: string): LiveSession | undefined {
    const tokenHash = hashToken(token)
    return this.use(tokenHash) ? this.held.get(tokenHash) : undefined
  }

  withGrant(logonTokenId: string): LiveSession | undefined {
    const tokenHash = this.#granted.get(logonTokenId)
    return tokenHash !== undefined && this.isLive(tokenHash) ? this.held.get(tokenHash) : undefined
  }

  /** End of a session that nobody uses any more; undefined for an unknown one. */
  expiresAt(tokenHash: string): number | undefined {
    return this.held.get(tokenHash)?.expiresAt
  }

  isLive(tokenHash: string): boolean {
    const session = this.held.get(tokenHash)
    return session !== undefined && session.expiresAt > this.#deps.clock.now()
  }

  /** True for a live session. Using a session past half of its life prolongs it, unless it came from a logon token. */
  use(tokenHash: string): boolean {
    const session = this.held.get(tokenHash)
    const now = this.#deps.clock.now()
    if (!session || session.expiresAt <= now) {
      return false
    }
    const lifetime = lifetimeOf(session.isPersistent)
    if (!session.grant && session.expiresAt - now < lifetime / 2) {
      session.expiresAt = now + lifetime
      void this.#inBackground(this.#outsideOfWrites(() => this.#prolong(session)))
    }
    return true
  }

  /** True for a session that only a page with its key can use: one of our own page. */
  isOfPage(tokenHash: string): boolean {
    return this.held.get(tokenHash)?.pageKeyHash != null
  }

  /** Time of the sign-in; undefined for a session that has ended. */
  beganAt(tokenHash: string): number | undefined {
    return this.held.get(tokenHash)?.createdAt
  }

  /** Time of the last proof of identity in a session; undefined for a session that has ended. */
  provedAt(tokenHash: string): number | undefined {
    return this.held.get(tokenHash)?.provedAt
  }

  /** Records a proof of identity in the session. */
  async prove(tokenHash: string): Promise<void> {
    const { database, models, clock } = this.#deps
    const provedAt = clock.now()
    await database.write((transaction) => models.Session.update({ provedAt }, { where: { tokenHash }, transaction }))
  }

  /** Ends one session, and its live connections. */
  async end(tokenHash: string): Promise<void> {
    const { database, models } = this.#deps
    await database.write((transaction) => models.Session.destroy({ where: { tokenHash }, transaction }))
  }

  async #deleteExpired() {
    const { database, models, clock } = this.#deps
    const now = clock.now()
    const expired = [...this.held.values()].filter(({ expiresAt }) => expiresAt <= now)
    if (expired.length > 0) {
      const where = { tokenHash: expired.map(({ tokenHash }) => tokenHash), expiresAt: { [Op.lte]: now } }
      await database.write((transaction) => models.Session.destroy({ where, transaction }))
    }
  }

  async #prolong({ tokenHash, expiresAt }: LiveSession) {
    const { database, models } = this.#deps
    await database.write((transaction) => models.Session.update({ expiresAt }, { where: { tokenHash }, transaction }))
  }

  /** Runs background work that is retried later when it fails. */
  async #inBackground(work: Promise<void>) {
    try {
      await work
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'Sessions could not be stored.')
    }
  }
}
