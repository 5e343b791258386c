import type { WebAuthnCredential } from '@simplewebauthn/server'
import type { PasskeySiteDto, NewCredential, SignedCredential } from '../../shared/dtos/passkey.ts'
import type { App } from '../call/call.ts'
import { badRequest } from '../ground/errors.ts'
import type { PasskeyRow } from './tables.ts'

/** Loaded on first use: most runs see no passkey. */
const library = () => import('@simplewebauthn/server')

/** EdDSA, ES256 and RS256, as COSE numbers them: every authenticator supports one. */
const supportedAlgorithmIDs = [-8, -7, -257]

/** Address and host name that passkeys are bound to. */
export interface PasskeySite {
  origin: string
  rpId: string
}

/** Describes whether passkeys work at an origin: browsers need https or localhost, and a name. */
export function describeSite(origin: string): PasskeySiteDto {
  const { protocol, hostname } = new URL(origin)
  const isAddress = /^[\d.]+$/.test(hostname) || hostname.startsWith('[')
  const obstacle = isAddress ? 'not-a-name' : protocol === 'https:' || hostname === 'localhost' ? null : 'not-https'
  return { origin: new URL(origin).origin, obstacle }
}

const obstacles = {
  'not-https': 'Passkeys work only over HTTPS. Open this server at its https address.',
  'not-a-name': 'Passkeys work only at a name, not at an IP address. Open this server by its name.',
}

/** Site of an origin that is configured or ours. Throws 400 where browsers support no passkeys. */
export function passkeySiteOf(ourOrigin: string): PasskeySite {
  const { origin, obstacle } = describeSite(ourOrigin)
  if (obstacle !== null) {
    throw badRequest(obstacles[obstacle])
  }
  return { origin, rpId: new URL(origin).hostname }
}

const descriptorOf = ({ credentialId, transports }: PasskeyRow) => ({
  id: credentialId,
  transports: JSON.parse(transports) as NonNullable<WebAuthnCredential['transports']>,
})

interface Person {
  id: string
  email: string
}

/** Options for a new discoverable passkey. Authenticators that hold one of `known` make no other. */
export async function additionOptions(
  { config }: App,
  { rpId }: PasskeySite,
  person: Person,
  known: readonly PasskeyRow[],
) {
  const { generateRegistrationOptions } = await library()
  return generateRegistrationOptions({
    rpName: config.branding.brandName,
    rpID: rpId,
    userID: new TextEncoder().encode(person.id),
    userName: person.email,
    attestationType: 'none',
    supportedAlgorithmIDs,
    excludeCredentials: known.map(descriptorOf),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/** Options for signing a challenge with one of `allowed`, or with any passkey of the site. */
export async function answerOptions({ rpId }: PasskeySite, allowed: readonly PasskeyRow[] = []) {
  const { generateAuthenticationOptions } = await library()
  return generateAuthenticationOptions({
    rpID: rpId,
    userVerification: 'required',
    allowCredentials: allowed.map(descriptorOf),
  })
}

interface Expected extends PasskeySite {
  challenge: string
}

const expectedBy = ({ challenge, origin, rpId }: Expected) => ({
  expectedChallenge: challenge,
  expectedOrigin: origin,
  expectedRPID: rpId,
  requireUserVerification: true,
})

/**
 * Whether the attestation carries certificates. None was asked for, and verifying one would fetch addresses that the
 * certificate names.
 */
async function hasCertificates(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  const attestation = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')))
  const format = attestation.get('fmt')
  return format !== 'none' && (format !== 'packed' || attestation.get('attStmt').get('x5c') !== undefined)
}

/** Verifies a new credential, and returns its columns. Throws 400. */
export async function verifyAddition(
  { log }: App,
  response: NewCredential,
  expected: Expected,
): Promise<Pick<PasskeyRow, 'credentialId' | 'publicKey' | 'counter' | 'transports' | 'rpId'>> {
  const { verifyRegistrationResponse } = await library()
  try {
    if (await hasCertificates(response.response.attestationObject)) {
      throw new Error('The credential carries certificates that were not asked for.')
    }
    const { registrationInfo } = await verifyRegistrationResponse({
      response: response as Parameters<typeof verifyRegistrationResponse>[0]['response'],
      supportedAlgorithmIDs,
      ...expectedBy(expected),
    })
    const { id, publicKey, counter } = registrationInfo!.credential
    return {
      credentialId: id,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      counter,
      transports: JSON.stringify(response.response.transports),
      rpId: expected.rpId,
    }
  } catch (error) {
    log.info({ err: error }, 'A new passkey was rejected.')
    throw badRequest('This passkey could not be verified. Try again, or use another authenticator.')
  }
}

/** Verifies the answer of a passkey, and returns its new counter; undefined for a wrong answer. */
export async function verifyAnswer(
  { log }: App,
  passkey: PasskeyRow,
  response: SignedCredential,
  expected: Expected,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await library()
  const { credentialId: id, publicKey, counter } = passkey
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as Parameters<typeof verifyAuthenticationResponse>[0]['response'],
      credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter },
      ...expectedBy(expected),
    })
    if (!verified) {
      throw new Error('The signature is wrong.')
    }
    return authenticationInfo.newCounter
  } catch (error) {
    log.warn({ err: error, userId: passkey.userId, passkeyId: passkey.id }, 'The answer of a passkey was rejected.')
    return undefined
  }
}
