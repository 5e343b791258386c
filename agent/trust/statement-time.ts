import type { IdentityStatement } from '../../shared/server-identity.ts'

const dayMs = 24 * 3_600_000
/**
 * What the clock of a device may be wrong by, in either direction: more than a wrong time zone makes. A statement of
 * tomorrow would make all of today's count as old, and an ended one be believed for ever.
 */
const toleranceMs = dayMs
/** One that names no end is of an older server, which signs when it starts. As long as a certificate lives. */
const endlessLifeMs = 397 * dayMs

type Times = Pick<IdentityStatement, 'issuedAt'> & { expiresAt?: string | null | undefined }

/** When a statement ends, by the clock of its server; in milliseconds since 1970. */
export const endOf = ({ issuedAt, expiresAt }: Times): number =>
  expiresAt ? Date.parse(expiresAt) : Date.parse(issuedAt) + endlessLifeMs

/** Signed in a future that no clock of a device is wrong by. */
export const isAhead = ({ issuedAt }: Times, nowMs: number): boolean => Date.parse(issuedAt) > nowMs + toleranceMs

export const isEnded = (statement: Times, nowMs: number): boolean => nowMs > endOf(statement) + toleranceMs
