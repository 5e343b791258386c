import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '../ground/clock.ts'
import { AppError } from '../ground/errors.ts'

const lifetimeMs = 60_000

/** Counted from the first use: the time in which a browser may resume a download. */
const resumableMs = 24 * 60 * 60_000

/** Above this number the oldest tickets are evicted. */
const maxTickets = 10_000

/** Maximum per user, of each kind: nobody evicts the tickets of others (T20). */
const maxOfUser = 500

interface Ticket {
  sessionId: string
  userId: string
  expiresAt: number
}

interface UsedTicket extends Ticket {
  /** Digest of the address that the ticket was used for: an address may be long. */
  target: string
}

/** Request with a ticket. */
export interface TicketUse {
  sessionId: string
  /** Address with its query. */
  target: string
  /** True if the request asks for a part of a file. */
  isResume: boolean
}

const digestOf = (target: string) => createHash('sha256').update(target).digest('base64')

/** Tickets in order of expiry, counted by user. */
class Tickets<T extends Ticket> {
  readonly #tickets = new Map<string, T>()
  readonly #counts = new Map<string, number>()

  get(text: string): T | undefined {
    return this.#tickets.get(text)
  }

  /** Adds a ticket, unless its user has too many; evicts expired tickets, and the oldest if there are too many. */
  add(text: string, ticket: T, now: number): boolean {
    for (const [oldest, { expiresAt }] of this.#tickets) {
      if (expiresAt > now && this.#tickets.size < maxTickets) {
        break
      }
      this.delete(oldest)
    }
    const count = this.#counts.get(ticket.userId) ?? 0
    if (count >= maxOfUser) {
      return false
    }
    this.#tickets.set(text, ticket)
    this.#counts.set(ticket.userId, count + 1)
    return true
  }

  delete(text: string): void {
    const { userId } = this.#tickets.get(text) ?? {}
    if (userId !== undefined) {
      this.#tickets.delete(text)
      const count = this.#counts.get(userId)! - 1
      if (count > 0) {
        this.#counts.set(userId, count)
      } else {
        this.#counts.delete(userId)
      }
    }
  }
}

/**
 * Single-use tickets: each replaces the page key in one request of its session, and in later requests for parts of the
 * same file, because browsers resume a download under its original address.
 */
export class PageTickets {
  readonly #clock: Clock
  readonly #tickets = new Tickets<Ticket>()
  /** Kept for resumed downloads; a download of a user with too many cannot be resumed. */
  readonly #used = new Tickets<UsedTicket>()

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock
  }

  /** Issues a ticket for a session of a user. Throws 429 for a user with too many unused tickets. */
  issue(sessionId: string, userId: string): string {
    const ticket = randomBytes(32).toString('base64url')
    const now = this.#clock.now()
    if (!this.#tickets.add(ticket, { sessionId, userId, expiresAt: now + lifetimeMs }, now)) {
      throw new AppError(429, 'You asked for too many tickets. Try again in a minute.', {
        headers: { 'retry-after': String(lifetimeMs / 1000) },
      })
    }
    return ticket
  }

  /**
   * Uses a ticket. Returns whether it was issued to this session, has not expired, and is new or used for the same
   * file.
   */
  take(ticket: string, { sessionId, target, isResume }: TicketUse): boolean {
    const now = this.#clock.now()
    const used = this.#used.get(ticket)
    if (used) {
      const isSame = used.sessionId === sessionId && used.target === digestOf(target)
      return isResume && isSame && used.expiresAt > now
    }
    const found = this.#tickets.get(ticket)
    this.#tickets.delete(ticket)
    if (found?.sessionId !== sessionId || found.expiresAt <= now) {
      return false
    }
    const { userId } = found
    this.#used.add(ticket, { sessionId, userId, target: digestOf(target), expiresAt: now + resumableMs }, now)
    return true
  }
}
