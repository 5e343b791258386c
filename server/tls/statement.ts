import { sign } from 'node:crypto'
import type { IdentityStatement, Pin, ServerIdentityDto } from '../../shared/server-identity.ts'
import type { Authority } from './certificates.ts'

export interface Described {
  serverPin: Pin
  /** What people call this server. */
  name: string
  /** Origins that agents may try, the best first. */
  addresses: readonly string[]
}

/**
 * How long a statement counts. Short, because a key that was replaced is believed until the last statement for it ends;
 * agents ask for a newer one every quarter of an hour, and at once where the one that they hold has ended.
 */
export const statementLifeMs = 2 * 24 * 3_600_000

/** What the authority says of the server that shows the key of `serverPin`, signed. */
export function signStatement(
  { key, certificate }: Authority,
  { serverPin, name, addresses }: Described,
  issuedAt: number,
): ServerIdentityDto {
  const statement: IdentityStatement = {
    purpose: 'farhand-identity-1',
    serverPin,
    name,
    addresses: [...addresses],
    issuedAt: new Date(issuedAt).toISOString(),
    expiresAt: new Date(issuedAt + statementLifeMs).toISOString(),
  }
  const bytes = Buffer.from(JSON.stringify(statement))
  return {
    authority: certificate.raw.toString('base64'),
    statement: bytes.toString('base64'),
    signature: sign('sha256', bytes, key).toString('base64'),
  }
}
