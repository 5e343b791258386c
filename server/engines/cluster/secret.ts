import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../ground/clock.ts'

/** Longest age of what a server signed or sealed, with the difference of both clocks. */
export const longestAgeMs = 5 * 60_000

/**
 * Secret shared by the servers of a cluster. `purpose` separates its uses: a signature for one purpose is invalid for
 * another.
 */
export interface ClusterSecret {
  sign(text: string, purpose: 'hop' | 'proof'): Buffer
  /** Redis is not trusted: whoever reads it learns nothing, and whoever writes into it cannot speak for a server. */
  seal(text: string, purpose: 'member' | 'message'): string
  /** Undefined for a text that no server of the cluster has sealed. */
  unseal(sealed: string, purpose: 'member' | 'message'): string | undefined
}

/** Whether a signature in base64url is the expected one. */
export function isSignature(expected: Buffer, signature: string): boolean {
  const actual = Buffer.from(signature, 'base64url')
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

/** Whether a time of another server (ms since 1970) differs from ours by at most `longestAgeMs`. */
export const isFresh = (clock: Clock, at: number): boolean => Math.abs(clock.now() - at) <= longestAgeMs
