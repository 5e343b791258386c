import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../ground/clock.ts'

/** Longest age of what a server signed, with the difference of both clocks. */
export const longestAgeMs = 5 * 60_000

/** HMAC by a key that only the servers of the cluster have; `purpose` keeps apart what is signed. */
export type Sign = (text: string, purpose: 'hop' | 'proof' | 'member' | 'message') => Buffer

/** Whether a signature in base64url is that of a text. */
export function isSignedBy(sign: Sign, purpose: Parameters<Sign>[1], text: string, signature: string): boolean {
  const expected = sign(text, purpose)
  const actual = Buffer.from(signature, 'base64url')
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

/** Whether a time of another server, in ms since 1970, is of these minutes. */
export const isFresh = (clock: Clock, at: number): boolean => Math.abs(clock.now() - at) <= longestAgeMs

/** A text with its signature. Redis is not trusted: whoever can write to it must not speak for a server. */
export const signedText = (sign: Sign, purpose: Parameters<Sign>[1], text: string): string =>
  `${sign(text, purpose).toString('base64url')} ${text}`

/** The text of a signed one; undefined if no server of the cluster signed it. */
export function textOf(sign: Sign, purpose: Parameters<Sign>[1], signed: string): string | undefined {
  const end = signed.indexOf(' ')
  const text = signed.slice(end + 1)
  return end > 0 && isSignedBy(sign, purpose, text, signed.slice(0, end)) ? text : undefined
}
