import type { X509Certificate } from 'node:crypto'
import type { Pin } from '../../shared/server-identity.ts'
import { UserError } from '../base/errors.ts'
import { plainText } from '../base/plain-text.ts'
import { pinOf, type ProvedIdentity } from './identity-document.ts'

/** Loaded on use: the word list is as large as the rest of this folder. */
export async function inWords(pin: Pin): Promise<string> {
  const { fingerprintWords } = await import('../../shared/fingerprint.ts')
  return fingerprintWords(pin)
}

/** Server that this device is enrolled with. */
export interface Expected {
  pin: Pin
  name: string
}

/** Describes a server so that people can tell it from others. */
export async function describeServer({ pin, name }: Expected): Promise<string> {
  return `${name === '' ? 'the server' : `the server "${plainText(name)}"`} with the fingerprint "${await inWords(pin)}"`
}

/** Another server answered at an address of ours. */
export class WrongIdentity extends UserError {
  override name = 'WrongIdentity'
  readonly address: string
  readonly expected: string
  readonly seen: string

  constructor(address: string, expected: string, seen: string) {
    super(
      `Another server answers at ${address}: expected ${expected}, seen ${seen}. Nothing was sent to it. If your server ` +
        `was set up again, install this agent again with a command from its Deploy page; otherwise the connection ` +
        `may be intercepted, or another machine now has this address.`,
    )
    this.address = address
    this.expected = expected
    this.seen = seen
  }
}

const isOf = ({ statement }: ProvedIdentity, { publicKey }: X509Certificate) => statement.serverPin === pinOf(publicKey)

export async function wrongIdentity(
  address: string,
  expected: Expected,
  { certificate, identity }: { certificate: X509Certificate; identity: ProvedIdentity | string },
): Promise<WrongIdentity> {
  const shown =
    `a certificate for ${plainText(certificate.subject) || 'nobody'}, issued by ` +
    `${plainText(certificate.issuer) || 'nobody'}, with the key ${pinOf(certificate.publicKey)}`
  const said =
    typeof identity === 'string'
      ? identity
      : identity.pin === expected.pin
        ? `its identity document is ${isOf(identity, certificate) ? 'an old one of your server' : 'that of your server, for another key'}`
        : `it claims to be ${await describeServer({ pin: identity.pin, name: identity.statement.name })}`
  return new WrongIdentity(address, await describeServer(expected), `${shown}; ${said}`)
}

/** Proofs of the server, each with advice for an expiry while the device's clock is right. */
const proofs = {
  certificate: 'the server did not renew its certificate: look at its Network page',
  'identity document':
    'restart the server, which signs a new one. If this stays, somebody may be showing a key that your server has replaced',
}

/** The server's proof is not valid at the time of this device's clock. */
export class WrongTime extends UserError {
  override name = 'WrongTime'

  constructor(
    address: string,
    proof: keyof typeof proofs,
    { validFrom, validTo }: Pick<X509Certificate, 'validFrom' | 'validTo'>,
    nowMs: number,
  ) {
    const isEarly = nowMs < Date.parse(validFrom)
    super(
      `The ${proof} of ${address} counts from ${isoTime(validFrom)} to ${isoTime(validTo)}, and the clock of this ` +
        `device says ${new Date(nowMs).toISOString()}. ` +
        (isEarly
          ? 'The clock of this device is behind: set it.'
          : `Set the clock of this device if it is ahead; if it is right, ${proofs[proof]}.`),
    )
  }
}

const isoTime = (text: string) => new Date(text).toISOString()
