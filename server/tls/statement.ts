import { sign } from 'node:crypto'
import type { NamedReleaseKey } from '../../shared/agent-release.ts'
import {
  announcedText,
  type IdentityStatement,
  type Pin,
  type ServerIdentityDto,
  type SignedAddresses,
} from '../../shared/server-identity.ts'
import type { Authority } from './certificates.ts'

export interface Described {
  serverPin: Pin
  /** What people call this server. */
  name: string
  /** Origins that agents may try, the best first. */
  addresses: readonly string[]
  /** Keys that sign the agents it offers, the one in use last. */
  releaseKeys?: readonly NamedReleaseKey[]
}

/**
 * How long a statement counts. Short, because a key that was replaced is believed until the last statement for it ends;
 * agents ask for a newer one every quarter of an hour, and at once where the one that they hold has ended.
 */
export const statementLifeMs = 2 * 24 * 3_600_000

/** What the authority says of the server that shows the key of `serverPin`, signed. */
export function signStatement(
  { key, certificate }: Authority,
  { serverPin, name, addresses, releaseKeys }: Described,
  issuedAt: number,
): ServerIdentityDto {
  const statement: IdentityStatement = {
    purpose: 'farhand-identity-1',
    serverPin,
    name,
    addresses: [...addresses],
    issuedAt: new Date(issuedAt).toISOString(),
    expiresAt: new Date(issuedAt + statementLifeMs).toISOString(),
    ...(releaseKeys && { releaseKeys: [...releaseKeys] }),
  }
  const bytes = Buffer.from(JSON.stringify(statement))
  return {
    authority: certificate.raw.toString('base64'),
    statement: bytes.toString('base64'),
    signature: sign('sha256', bytes, key).toString('base64'),
  }
}

/** More a TXT record does not hold, and few machines have as many. */
const mostAnnouncedBytes = 240

/** Where the server of the authority is, signed for an announcement: as many of the addresses as it holds. */
export function signAddresses({ key }: Authority, addresses: readonly string[], issuedAt: number): SignedAddresses {
  const fitting = addresses.reduce((text, address) => {
    const longer = text === '' ? address : `${text} ${address}`
    return longer.length <= mostAnnouncedBytes ? longer : text
  }, '')
  const signed = {
    addresses: fitting,
    issued: new Date(issuedAt).toISOString(),
    expires: new Date(issuedAt + statementLifeMs).toISOString(),
  }
  return { ...signed, signature: sign('sha256', Buffer.from(announcedText(signed)), key).toString('base64') }
}
