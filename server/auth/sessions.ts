import { createHash, randomBytes } from 'node:crypto'
import { Op } from 'sequelize'
import type { Clock } from '../clock.ts'
import type { Database } from '../database.ts'
import type { Log } from '../log.ts'
import type { SessionRow } from '../models/session.ts'
import type { Models } from '../models/index.ts'

/** How often expired sessions are looked for. */
const sweepMs = 60_000

const dayMs = 24 * 60 * 60 * 1000

/** How long a session lives without being used: "stay signed in", and until the browser closes. */
const sessionLifetimeMs = { persistent: 30 * dayMs, browser: dayMs }

export interface LiveSession extends SessionRow {
  userName: string
  tenantId: string
}

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
    const rows = await this.#database.all<LiveSession>(
      `SELECT s.*, u.userName, u.tenantId FROM sessions s JOIN users u ON u.id = s.userId WHERE s.expiresAt > ?`,
      [now],
    )
    for (const row of rows) {
      this.#byToken.set(row.tokenHash, { ...row, isPersistent: Boolean(row.isPersistent) })
    }
    await this.#sweep()
    return this.#clock.every(sweepMs, () => this.#inBackground(this.#sweep()))
  }

  /** Starts a session and returns the token for the cookie; only its hash is kept. */
  async start(user: { id: string; userName: string; tenantId: string }, isPersistent: boolean): Promise<string> {
    const token = randomBytes(32).toString('base64url')
    const now = this.#clock.now()
    const row: SessionRow = {
      tokenHash: hashToken(token),
      userId: user.id,
      isPersistent,
      createdAt: now,
      expiresAt: now + lifetimeOf(isPersistent),
      logonTokenId: null,
    }
    await this.#database.write((transaction) => this.#models.Session.create(row, { transaction }))
    this.#byToken.set(row.tokenHash, { ...row, userName: user.userName, tenantId: user.tenantId })
    return token
  }

  /** The live session of a token, which is used by this. */
  find(token: string): LiveSession | undefined {
    return this.use(hashToken(token))
  }

  /** The session if it is live. Using one past half of its life prolongs it. */
  use(tokenHash: string): LiveSession | undefined {
    const session = this.#byToken.get(tokenHash)
    const now = this.#clock.now()
    if (!session || session.expiresAt <= now) {
      return undefined
    }
    const lifetime = lifetimeOf(session.isPersistent)
    if (session.expiresAt - now < lifetime / 2) {
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
    this.#forget([...this.#byToken.values()].filter(({ expiresAt }) => expiresAt <= now))
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
