import { createHash, createSign, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto'
import type { z } from 'zod'
import type { NewCredential, SignedCredential } from '../../shared/dtos/passkey.ts'

const encoded = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url')
const sha256 = (bytes: string) => createHash('sha256').update(bytes).digest()

/** Heads of CBOR values: the type in the upper three bits, a length below 65,536 after it. */
const head = (type: number, length: number) =>
  length < 24
    ? Buffer.from([(type << 5) | length])
    : length < 256
      ? Buffer.from([(type << 5) | 24, length])
      : Buffer.from([(type << 5) | 25, length >> 8, length & 255])
const bytes = (value: Uint8Array) => Buffer.concat([head(2, value.length), value])
const text = (value: string) => Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
const map = (...entries: [Buffer, Buffer][]) => Buffer.concat([head(5, entries.length), ...entries.flat()])
const integer = (value: number) => (value < 0 ? head(1, -1 - value) : head(0, value))

function coseKeyOf(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  return map(
    [integer(1), integer(2)],
    [integer(3), integer(-7)],
    [integer(-1), integer(1)],
    [integer(-2), bytes(Buffer.from(x, 'base64url'))],
    [integer(-3), bytes(Buffer.from(y, 'base64url'))],
  )
}

interface Ceremony {
  ticket: string
  options: Record<string, unknown>
}

interface Behavior {
  /** Origin of the page that the browser shows. */
  origin: string
  /** Whether the authenticator has checked finger, face or PIN. */
  isUserVerified?: boolean
  /** Certificates sent without being asked for. */
  x5c?: Uint8Array[]
  rpId?: string
}

/** An authenticator with one passkey, as a browser would use it. */
export class Authenticator {
  readonly id = randomBytes(32)
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  /** Signature counter, raised with each signature; 0 throughout for an authenticator without one. */
  counter = 1
  userHandle = ''

  #data(rpId: string, { isUserVerified = true }: Behavior, isNew: boolean): Buffer {
    const flags = 1 | (isUserVerified ? 4 : 0) | (isNew ? 64 : 0)
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.counter)
    const own = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([0, this.id.length]),
      this.id,
      coseKeyOf(this.#keys.publicKey),
    ])
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter, isNew ? own : Buffer.alloc(0)])
  }

  /** Answers the options for a new passkey. */
  create({ options }: Ceremony, behavior: Behavior): z.input<typeof NewCredential> {
    const { challenge, rp, user } = options as { challenge: string; rp: { id: string }; user: { id: string } }
    this.userHandle = user.id
    const { origin, rpId = rp.id, x5c } = behavior
    const clientData = JSON.stringify({ type: 'webauthn.create', challenge, origin, crossOrigin: false })
    const certificates = Buffer.concat([head(4, x5c?.length ?? 0), ...(x5c ?? []).map(bytes)])
    const statement = x5c
      ? map([text('alg'), integer(-7)], [text('sig'), bytes(randomBytes(70))], [text('x5c'), certificates])
      : map()
    const attestationObject = map(
      [text('fmt'), text(x5c ? 'packed' : 'none')],
      [text('attStmt'), statement],
      [text('authData'), bytes(this.#data(rpId, behavior, true))],
    )
    return {
      ...this.#credential(),
      response: {
        clientDataJSON: encoded(clientData),
        attestationObject: encoded(attestationObject),
        transports: ['internal'],
      },
    }
  }

  /** Signs a challenge. */
  sign({ options }: Ceremony, behavior: Behavior): z.input<typeof SignedCredential> {
    const { challenge, rpId: wanted } = options as { challenge: string; rpId: string }
    const { origin, rpId = wanted } = behavior
    const clientData = JSON.stringify({ type: 'webauthn.get', challenge, origin, crossOrigin: false })
    this.counter += this.counter > 0 ? 1 : 0
    const data = this.#data(rpId, behavior, false)
    const signature = createSign('sha256')
      .update(Buffer.concat([data, sha256(clientData)]))
      .sign(this.#keys.privateKey)
    return {
      ...this.#credential(),
      response: {
        clientDataJSON: encoded(clientData),
        authenticatorData: encoded(data),
        signature: encoded(signature),
        userHandle: this.userHandle,
      },
    }
  }

  #credential() {
    const id = encoded(this.id)
    return { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {} }
  }
}
