import { createHash, randomBytes } from 'node:crypto'
import { ForeignKeyConstraintError, Op, type Transaction } from 'sequelize'
import type { Clock } from '../clock.ts'
import type { Database } from '../database.ts'
import { unauthorized } from '../errors.ts'
import type { Log } from '../log.ts'
import type { LogonTokenRow } from '../models/logon-token.ts'
import type { SessionRow } from '../models/session.ts'
import type { Models } from '../models/index.ts'

/** How often expired sessions are looked for, and so how long their connections outlive them. */
const sweepMs = 5_000

const dayMs = 24 * 60 * 60 * 1000

/** How long a session lives without being used: "stay signed in", and until the browser closes. */
const sessionLifetimeMs = { persistent: 30 * dayMs, browser: dayMs }

/** What a session that came from a logon token is confined to. */
export interface SessionGrant {
  id: string
  deviceId: string
  /** Null allows every desktop session of the device. */
  allowedDesktopSessionIds: readonly number[] | null
}

export interface LiveSession extends SessionRow {
  userName: string
  tenantId: string
  /** Undefined for the session of somebody who signed in; such a session also ends at its time, used or not. */
  grant: SessionGrant | undefined
}

type SessionUser = Pick<LiveSession, 'userName' | 'tenantId'> & { id: string }

interface StoredSession extends SessionRow {
  userName: string
  tenantId: string
  deviceId: string | null
  allowedDesktopSessionIds: string | null
}

export const grantOf = ({
  id,
  deviceId,
  allowedDesktopSessionIds,
}: Pick<LogonTokenRow, 'id' | 'deviceId' | 'allowedDesktopSessionIds'>): SessionGrant => ({
  id,
  deviceId,
  allowedDesktopSessionIds:
    allowedDesktopSessionIds === null ? null : (JSON.parse(allowedDesktopSessionIds) as number[]),
})

const parsed = ({ deviceId, allowedDesktopSessionIds, ...row }: StoredSession): LiveSession => ({
  ...row,
  isPersistent: Boolean(row.isPersistent),
  grant:
    row.logonTokenId === null || deviceId === null
      ? undefined
      : grantOf({ id: row.logonTokenId, deviceId, allowedDesktopSessionIds }),
})

const hashToken = (token: string) => createHash('sha256').update(token).digest('base64url')
const lifetimeOf = (isPersistent: boolean) => sessionLifetimeMs[isPersistent ? 'persistent' : 'browser']

interface Parts {
  database: Database
  models: Models
  clock: Clock
  log: Log
}

/** Cookie sessions. Rows survive a restart; all live ones are in memory, so that finding one asks no database. */
export class Sessions {
  readonly #models: Models
  readonly #database: Database
  readonly #clock: Clock
  readonly #log: Log
  readonly #byToken = new Map<string, LiveSession>()
  readonly #onEnd: (session: LiveSession) => void

  /** `onEnd` hears of every session that ends, whatever ends it. */
  constructor({ database, models, clock, log }: Parts, onEnd: (session: LiveSession) => void) {
    this.#database = database
    this.#models = models
    this.#clock = clock
    this.#log = log
    this.#onEnd = onEnd
  }

  /** Reads the sessions that have not expired, and looks for those that do. Returns the function that stops looking. */
  async load(): Promise<() => void> {
    const now = this.#clock.now()
    const rows = await this.#database.all<StoredSession>(
      `SELECT s.*, u.userName, u.tenantId, t.deviceId, t.allowedDesktopSessionIds FROM sessions s
       JOIN users u ON u.id = s.userId LEFT JOIN logon_tokens t ON t.id = s.logonTokenId WHERE s.expiresAt > ?`,
      [now],
    )
    for (const row of rows) {
      this.#byToken.set(row.tokenHash, parsed(row))
    }
    await this.#deleteExpired(now)
    return this.#clock.every(sweepMs, () => this.#inBackground(this.#sweep()))
  }

  /** Starts a session and returns the token for the cookie; only its hash is kept. */
  async start(user: SessionUser, isPersistent: boolean): Promise<string> {
    const expiresAt = this.#clock.now() + lifetimeOf(isPersistent)
    const { token } = await this.#begin(user, { isPersistent, expiresAt, grant: undefined })
    return token
  }

  /** The same for what is left of a logon token; `consume` runs in the transaction that stores the session. */
  startGranted(
    user: SessionUser,
    logonToken: LogonTokenRow,
    consume: (transaction: Transaction) => Promise<void>,
  ): Promise<{ token: string; session: LiveSession }> {
    const { expiresAt } = logonToken
    return this.#begin(user, { isPersistent: false, expiresAt, grant: grantOf(logonToken) }, consume)
  }

  async #begin(
    { id: userId, userName, tenantId }: SessionUser,
    { grant, ...life }: Pick<LiveSession, 'isPersistent' | 'expiresAt' | 'grant'>,
    before?: (transaction: Transaction) => Promise<void>,
  ) {
    const token = randomBytes(32).toString('base64url')
    const createdAt = this.#clock.now()
    const row: SessionRow = { tokenHash: hashToken(token), userId, createdAt, logonTokenId: grant?.id ?? null, ...life }
    try {
      await this.#database.write(async (transaction) => {
        await before?.(transaction)
        await this.#models.Session.create(row, { transaction })
      })
    } catch (error) {
      throw error instanceof ForeignKeyConstraintError ? unauthorized('This account does not exist any more.') : error
    }
    const session = { ...row, userName, tenantId, grant }
    this.#byToken.set(row.tokenHash, session)
    return { token, session }
  }

  /** The live session of a token, which is used by this. */
  find(token: string): LiveSession | undefined {
    return this.use(hashToken(token))
  }

  /** The session if it is live. Using one past half of its life prolongs it, unless it came from a logon token. */
  use(tokenHash: string): LiveSession | undefined {
    const session = this.#byToken.get(tokenHash)
    const now = this.#clock.now()
    if (!session || session.expiresAt <= now) {
      return undefined
    }
    const lifetime = lifetimeOf(session.isPersistent)
    if (!session.grant && session.expiresAt - now < lifetime / 2) {
      session.expiresAt = now + lifetime
      this.#inBackground(this.#prolong(session))
    }
    return session
  }

  isLive(tokenHash: string): boolean {
    const session = this.#byToken.get(tokenHash)
    return session !== undefined && session.expiresAt > this.#clock.now()
  }

  /** Ends the sessions of a user that `isEnded` picks, and with them their live connections. */
  async end(userId: string, isEnded: (session: LiveSession) => boolean): Promise<void> {
    const ended = [...this.#byToken.values()].filter((session) => session.userId === userId && isEnded(session))
    if (ended.length === 0) {
      return
    }
    const tokenHash = ended.map((session) => session.tokenHash)
    await this.#database.write((transaction) => this.#models.Session.destroy({ where: { tokenHash }, transaction }))
    this.#forget(ended)
  }

  #forget(sessions: readonly LiveSession[]) {
    for (const session of sessions) {
      this.#byToken.delete(session.tokenHash)
      this.#onEnd(session)
    }
  }

  async #sweep() {
    const now = this.#clock.now()
    const expired = [...this.#byToken.values()].filter(({ expiresAt }) => expiresAt <= now)
    if (expired.length > 0) {
      this.#forget(expired)
      await this.#deleteExpired(now)
    }
  }

  async #deleteExpired(now: number) {
    await this.#database.write((transaction) =>
      this.#models.Session.destroy({ where: { expiresAt: { [Op.lte]: now } }, transaction }),
    )
  }

  /** For work that nobody waits for and that a later one makes good. */
  #inBackground(work: Promise<void>) {
    work.catch((error: unknown) => this.#log.warn({ err: error }, 'Sessions could not be stored.'))
  }

  async #prolong({ tokenHash, expiresAt }: LiveSession) {
    await this.#database.write((transaction) =>
      this.#models.Session.update({ expiresAt }, { where: { tokenHash }, transaction }),
    )
  }
}
