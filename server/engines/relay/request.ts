import { createHash } from 'node:crypto'
import { guidPattern } from '../../../shared/guid.ts'
import type { Refusal } from '../flow/websocket/handshake.ts'
import { invalidRole, invalidSessionId, invalidToken } from './refusals.ts'
import { roleOf, type Role } from './role.ts'

/** Query of a peer's upgrade. */
export interface RelayRequest {
  /** A GUID in lower case with hyphens. */
  readonly sessionId: string
  /** Hash of the token, which is not stored itself. */
  readonly tokenHash: Buffer
  readonly role: Role
  /** Wait for the partner; 0 means no limit, undefined if the query has no timeout. May be negative. */
  readonly timeoutSeconds: number | undefined
}

/** SHA-256 of a session's token, as used in announcements. */
export const tokenHashOf = (token: string): Buffer => createHash('sha256').update(token).digest()

/** Normalizes a GUID to lower case with hyphens; accepts it with and without hyphens, in braces or in parentheses. */
export function guidOf(text: string): string | undefined {
  const lower = text.trim().toLowerCase()
  const inner = /^(?:\{.*\}|\(.*\))$/.test(lower) ? lower.slice(1, -1) : lower
  const guid = lower.replace(/^([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})$/, '$1-$2-$3-$4-$5')
  return [inner, guid].find((candidate) => guidPattern.test(candidate))
}

/** Query parameters. Repeated names are joined with commas, so that none of the values is accepted. */
function queryOf(url: string): ReadonlyMap<string, string> {
  // `new URL` would read the path `//relay` as a host.
  const start = url.indexOf('?')
  const query = new Map<string, string>()
  for (const [spelling, value] of new URLSearchParams(start === -1 ? '' : url.slice(start + 1))) {
    const name = spelling.toLowerCase()
    const before = query.get(name)
    query.set(name, before === undefined ? value : `${before},${value}`)
  }
  return query
}

const maxInt32 = 2 ** 31 - 1

/** Parses a 32-bit integer; undefined for any other text. */
function secondsOf(text: string): number | undefined {
  const seconds = /^\s*[+-]?\d+\s*$/.test(text) ? Number(text) : Number.NaN
  return Math.abs(seconds) <= maxInt32 ? seconds : undefined
}

/** Reads the query of an upgrade's address, or returns a rejection. */
export function readRequest(url: string): RelayRequest | Refusal {
  const query = queryOf(url)
  const sessionId = guidOf(query.get('sessionid') ?? '')
  if (sessionId === undefined) {
    return invalidSessionId
  }
  const token = query.get('accesstoken') ?? ''
  if (token === '') {
    return invalidToken
  }
  const role = roleOf(query.get('role') ?? '')
  if (role === undefined) {
    return invalidRole
  }
  return { sessionId, tokenHash: tokenHashOf(token), role, timeoutSeconds: secondsOf(query.get('timeout') ?? '') }
}
