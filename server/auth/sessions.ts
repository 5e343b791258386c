import { createHash, randomBytes } from 'node:crypto'
import { Op } from 'sequelize'
import type { Clock } from '../clock.ts'
import type { Database } from '../database.ts'
import type { SessionRow } from '../models/session.ts'
import type { Models } from '../models/index.ts'

const dayMs = 24 * 60 * 60 * 1000

/** How long a session lives without being used: "stay signed in", and until the browser closes. */
export const sessionLifetimeMs = { persistent: 30 * dayMs, browser: dayMs }

export interface LiveSession extends SessionRow {
  userName: string
  tenantId: string
}

const hashToken = (token: string) => createHash('sha256').update(token).digest('base64url')
const lifetimeOf = (isPersistent: boolean) => sessionLifetimeMs[isPersistent ? 'persistent' : 'browser']

/** Cookie sessions. Rows survive a restart; all live ones are in memory, so that finding one asks no database. */
export class Sessions {
  readonly #models: Models
  readonly #database: Database
  readonly #clock: Clock
  readonly #byToken = new Map<string, LiveSession>()
  readonly #onEnd: (session: LiveSession) => void

  constructor(database: Database, models: Models, clock: Clock, onEnd: (session: LiveSession) => void) {
    this.#database = database
    this.#models = models
    this.#clock = clock
    this.#onEnd = onEnd
  }

  /** Reads the sessions that have not expired and removes the others. */
  async load(): Promise<void> {
    const now = this.#clock.now()
    const rows = await this.#database.all<LiveSession>(
      `SELECT s.*, u.userName, u.tenantId FROM sessions s JOIN users u ON u.id = s.userId WHERE s.expiresAt > ?`,
      [now],
    )
    for (const row of rows) {
      this.#byToken.set(row.tokenHash, { ...row, isPersistent: Boolean(row.isPersistent) })
    }
    await this.#database.write((transaction) =>
      this.#models.Session.destroy({ where: { expiresAt: { [Op.lte]: now } }, transaction }),
    )
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
    }
    await this.#database.write((transaction) => this.#models.Session.create(row, { transaction }))
    this.#byToken.set(row.tokenHash, { ...row, userName: user.userName, tenantId: user.tenantId })
    return token
  }

  /** The live session of a token. Using one past half of its life prolongs it. */
  find(token: string): LiveSession | undefined {
    const session = this.#byToken.get(hashToken(token))
    const now = this.#clock.now()
    if (!session || session.expiresAt <= now) {
      return undefined
    }
    const lifetime = lifetimeOf(session.isPersistent)
    if (session.expiresAt - now < lifetime / 2) {
      session.expiresAt = now + lifetime
      void this.#prolong(session)
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
    for (const session of ended) {
      this.#byToken.delete(session.tokenHash)
      this.#onEnd(session)
    }
  }

  async #prolong({ tokenHash, expiresAt }: LiveSession) {
    await this.#database.write((transaction) =>
      this.#models.Session.update({ expiresAt }, { where: { tokenHash }, transaction }),
    )
  }
}
