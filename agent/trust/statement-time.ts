import { dayMs } from '../../shared/durations.ts'
import type { IdentityStatement } from '../../shared/server-identity.ts'

/**
 * Tolerated error of a device's clock in either direction: larger than any wrong time zone causes. Without a limit, a
 * statement from the future would make all current ones stale, and an expired one would stay valid for ever.
 */
const toleranceMs = dayMs
/** Assumed lifetime of a statement without an expiry, as older servers sign at start: the lifetime of a certificate. */
const endlessLifeMs = 397 * dayMs

type Times = Pick<IdentityStatement, 'issuedAt'> & { expiresAt?: string | null | undefined }

/** Expiry of a statement by the server's clock, in milliseconds since 1970. */
export const endOf = ({ issuedAt, expiresAt }: Times): number =>
  expiresAt ? Date.parse(expiresAt) : Date.parse(issuedAt) + endlessLifeMs

/** Whether a statement is further in the future than the tolerated clock error. */
export const isAhead = ({ issuedAt }: Times, nowMs: number): boolean => Date.parse(issuedAt) > nowMs + toleranceMs

export const isEnded = (statement: Times, nowMs: number): boolean => nowMs > endOf(statement) + toleranceMs
