import { sign } from 'node:crypto'
import { dayMs } from '../../../shared/durations.ts'
import { instant } from '../../ground/instant.ts'
import type { NamedReleaseKey } from '../../../shared/agent-release.ts'
import {
  announcedText,
  type IdentityStatement,
  type Pin,
  type ServerIdentityDto,
  type SignedAddresses,
} from '../../../shared/server-identity.ts'
import type { Authority } from './certificates.ts'

export interface Described {
  serverPin: Pin
  /** Display name of this server. */
  name: string
  /** Origins that agents may try, best first. */
  addresses: readonly string[]
  /** Keys that sign the agents it offers, the one in use last. */
  releaseKeys?: readonly NamedReleaseKey[]
}

/**
 * Validity of a statement. Short, because agents accept a replaced key until the last statement for it expires; agents
 * fetch a newer statement every quarter of an hour, and at once if theirs has expired.
 */
export const statementLifeMs = 2 * dayMs

/** Signs the authority's statement about the server with key `serverPin`. */
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
    issuedAt: instant(issuedAt),
    expiresAt: instant(issuedAt + statementLifeMs),
    ...(releaseKeys && { releaseKeys: [...releaseKeys] }),
  }
  const bytes = Buffer.from(JSON.stringify(statement))
  return {
    authority: certificate.raw.toString('base64'),
    statement: bytes.toString('base64'),
    signature: sign('sha256', bytes, key).toString('base64'),
  }
}

/** Limit of a TXT record; enough for the addresses of most machines. */
const mostAnnouncedBytes = 240

/** Signs the addresses of the server for an announcement, as many as fit. */
export function signAddresses({ key }: Authority, addresses: readonly string[], issuedAt: number): SignedAddresses {
  const fitting = addresses.reduce((text, address) => {
    const longer = text === '' ? address : `${text} ${address}`
    return longer.length <= mostAnnouncedBytes ? longer : text
  }, '')
  const signed = {
    addresses: fitting,
    issued: instant(issuedAt),
    expires: instant(issuedAt + statementLifeMs),
  }
  return { ...signed, signature: sign('sha256', Buffer.from(announcedText(signed)), key).toString('base64') }
}
