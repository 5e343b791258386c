import type { IncomingMessage } from 'node:http'
import type { RestWanted } from '../../../../shared/contract/transfer.ts'

/** True if a `Want-Repr-Digest` header requests SHA-256 (RFC 9530): a weight of 0 means no. */
export function isDigestWanted({ headers }: IncomingMessage): boolean {
  const wanted = headers['want-repr-digest']
  const weight = typeof wanted === 'string' ? /(?:^|,)\s*sha-256\s*=\s*(\d+)\s*(?:,|$)/.exec(wanted)?.[1] : undefined
  return Number(weight ?? 0) > 0
}

/**
 * Parses a `Range` header, as far as supported: all bytes from an offset. Any other range is ignored, as HTTP permits:
 * the whole body is sent.
 */
export function restWanted({ headers, method }: IncomingMessage): RestWanted | undefined {
  const offset = Number(/^bytes=(\d{1,15})-$/.exec(headers.range ?? '')?.[1] ?? 0)
  const condition = headers['if-range']
  const etag = typeof condition === 'string' ? /^"([^"]*)"$/.exec(condition)?.[1] : undefined
  // A weak tag or a date does not identify bytes.
  const isNamed = condition === undefined || etag !== undefined
  return method === 'GET' && offset > 0 && isNamed ? { offset, etag } : undefined
}
