import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'

const lifetimeMs = 60_000

/** Counted from the first use: the time in which a browser may resume a download. */
const resumableMs = 24 * 60 * 60_000

/** Above this number the oldest tickets are evicted. */
const maxTickets = 10_000

interface Ticket {
  sessionId: string
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

/** Evicts expired entries, and the oldest if a map is full; entries are in order of expiry. */
function evict(tickets: Map<string, Ticket>, now: number): void {
  for (const [oldest, { expiresAt }] of tickets) {
    if (expiresAt > now && tickets.size < maxTickets) {
      break
    }
    tickets.delete(oldest)
  }
}

/**
 * Single-use tickets: each replaces the page key in one request of its session, and in later requests for parts of the
 * same file, because browsers resume a download under its original address.
 */
export class PageTickets {
  readonly #clock: Clock
  /** In order of expiry, as are the used tickets. */
  readonly #tickets = new Map<string, Ticket>()
  readonly #used = new Map<string, UsedTicket>()

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock
  }

  issue(sessionId: string): string {
    const ticket = randomBytes(32).toString('base64url')
    const now = this.#clock.now()
    evict(this.#tickets, now)
    this.#tickets.set(ticket, { sessionId, expiresAt: now + lifetimeMs })
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
    evict(this.#used, now)
    this.#used.set(ticket, { sessionId, target: digestOf(target), expiresAt: now + resumableMs })
    return true
  }
}
