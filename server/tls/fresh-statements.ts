import type { ServerIdentityDto, SignedAddresses } from '../../shared/server-identity.ts'
import type { Clock } from '../clock.ts'
import type { Authority } from './certificates.ts'
import { signAddresses, signStatement, type Described } from './statement.ts'

/** A statement is signed anew when it is as old as this: one that is handed out has most of its life before it. */
const freshMs = 3_600_000
/** An announcement is, too: whenever it changes, all who listen are told twice. */
const freshAnnouncementMs = 24 * 3_600_000
/** Agents take no statement that is further ahead of their clocks than this. */
const mostAheadMs = 24 * 3_600_000

interface Signed<Document> {
  /** What it says, and of whom. */
  of: string
  signedAt: number
  document: Document
}

/** What the authority says of the server, each signed once while it is the same and young. */
export class FreshStatements {
  readonly #clock: Clock
  #statement: (Signed<ServerIdentityDto> & { issuedAt: number }) | undefined
  #announced: Signed<SignedAddresses> | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Signed anew when what it says changes, and each hour. */
  statement(authority: Authority, described: Described): ServerIdentityDto {
    const of = JSON.stringify([described, authority.certificate.toString()])
    const now = this.#clock.now()
    const last = this.#statement
    if (last?.of === of && Math.abs(now - last.signedAt) < freshMs) {
      return last.document
    }
    // A newer one has a later time, also when the clock went back; by much, and nobody took the last one.
    const isLastTaken = last !== undefined && last.issuedAt <= now + mostAheadMs
    const issuedAt = isLastTaken ? Math.max(now, last.issuedAt + 1) : now
    const document = signStatement(authority, described, issuedAt)
    this.#statement = { of, signedAt: now, issuedAt, document }
    return document
  }

  /** The same of the addresses alone, short enough for an announcement: signed anew when they change, and each day. */
  addresses(authority: Authority, addresses: readonly string[]): SignedAddresses {
    const of = addresses.join(' ')
    const now = this.#clock.now()
    if (this.#announced?.of !== of || Math.abs(now - this.#announced.signedAt) >= freshAnnouncementMs) {
      this.#announced = { of, signedAt: now, document: signAddresses(authority, addresses, now) }
    }
    return this.#announced.document
  }
}
