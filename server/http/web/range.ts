import type { IncomingMessage } from 'node:http'
import type { RestWanted } from '../../../shared/contract/transfer.ts'

/** Whether a `Want-Repr-Digest` header asks for SHA-256 (RFC 9530): a weight of 0 says no. */
export function isDigestWanted({ headers }: IncomingMessage): boolean {
  const wanted = headers['want-repr-digest']
  const weight = typeof wanted === 'string' ? /(?:^|,)\s*sha-256\s*=\s*(\d+)\s*(?:,|$)/.exec(wanted)?.[1] : undefined
  return Number(weight ?? 0) > 0
}

/**
 * What a `Range` header asks for, as far as we serve it: all bytes from one on. Any other range is ignored, as a server may:
 * the whole is sent.
 */
export function restWanted({ headers, method }: IncomingMessage): RestWanted | undefined {
  const offset = Number(/^bytes=(\d{1,15})-$/.exec(headers.range ?? '')?.[1] ?? 0)
  const condition = headers['if-range']
  const etag = typeof condition === 'string' ? /^"([^"]*)"$/.exec(condition)?.[1] : undefined
  // A weak tag or a date does not name bytes.
  const isNamed = condition === undefined || etag !== undefined
  return method === 'GET' && offset > 0 && isNamed ? { offset, etag } : undefined
}
