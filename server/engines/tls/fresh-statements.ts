import { dayMs, hourMs } from '../../../shared/durations.ts'
import type { ServerIdentityDto, SignedAddresses } from '../../../shared/server-identity.ts'
import type { Clock } from '../../ground/clock.ts'
import type { Authority } from './certificates.ts'
import { signAddresses, signStatement, type Described } from './statement.ts'

/** Age at which a statement is signed again, so that a served statement has most of its life left. */
const freshMs = hourMs
/** Age at which an announcement is signed again. Longer, because each change is announced twice to all listeners. */
const freshAnnouncementMs = dayMs
/** Agents reject statements further ahead of their clocks. */
const mostAheadMs = dayMs

interface Signed<Document> {
  /** Signed contents, as a cache key. */
  of: string
  signedAt: number
  document: Document
}

/** Caches the authority's statements about the server, and signs them again when they change or age. */
export class FreshStatements {
  readonly #clock: Clock
  #statement: (Signed<ServerIdentityDto> & { issuedAt: number }) | undefined
  #announced: Signed<SignedAddresses> | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Signs again when the contents change, and each hour. */
  statement(authority: Authority, described: Described): ServerIdentityDto {
    const of = JSON.stringify([described, authority.certificate.toString()])
    const now = this.#clock.now()
    const last = this.#statement
    if (last?.of === of && Math.abs(now - last.signedAt) < freshMs) {
      return last.document
    }
    // A newer statement needs a later time, even if the clock was set back. If it was set back by more than a day,
    // agents never accepted the last statement.
    const isLastAccepted = last !== undefined && last.issuedAt <= now + mostAheadMs
    const issuedAt = isLastAccepted ? Math.max(now, last.issuedAt + 1) : now
    const document = signStatement(authority, described, issuedAt)
    this.#statement = { of, signedAt: now, issuedAt, document }
    return document
  }

  /** Signs the addresses alone, short enough for an announcement: again when they change, and each day. */
  addresses(authority: Authority, addresses: readonly string[]): SignedAddresses {
    const of = addresses.join(' ')
    const now = this.#clock.now()
    if (this.#announced?.of !== of || Math.abs(now - this.#announced.signedAt) >= freshAnnouncementMs) {
      this.#announced = { of, signedAt: now, document: signAddresses(authority, addresses, now) }
    }
    return this.#announced.document
  }
}
