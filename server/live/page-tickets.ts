import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'

const lifetimeMs = 60_000

/** Beyond this number the oldest tickets are dropped. */
const maxTickets = 10_000

interface Ticket {
  sessionId: string
  expiresAt: number
}

/** One-time tickets: each stands for the page key in one request of its session. */
export class PageTickets {
  readonly #clock: Clock
  /** In the order in which they expire. */
  readonly #tickets = new Map<string, Ticket>()

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock
  }

  issue(sessionId: string): string {
    const ticket = randomBytes(32).toString('base64url')
    const now = this.#clock.now()
    for (const [oldest, { expiresAt }] of this.#tickets) {
      if (expiresAt > now && this.#tickets.size < maxTickets) {
        break
      }
      this.#tickets.delete(oldest)
    }
    this.#tickets.set(ticket, { sessionId, expiresAt: now + lifetimeMs })
    return ticket
  }

  /** Uses up a ticket. Returns whether it was issued to this session and has not expired. */
  take(ticket: string, sessionId: string): boolean {
    const found = this.#tickets.get(ticket)
    this.#tickets.delete(ticket)
    return found?.sessionId === sessionId && found.expiresAt > this.#clock.now()
  }
}
