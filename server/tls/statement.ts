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
  }
  const bytes = Buffer.from(JSON.stringify(statement))
  return {
    authority: certificate.raw.toString('base64'),
    statement: bytes.toString('base64'),
    signature: sign('sha256', bytes, key).toString('base64'),
  }
}
