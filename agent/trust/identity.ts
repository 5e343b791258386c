import { createHash } from 'node:crypto'
import { getPublicKey, hashes, sign, utils } from '@noble/ed25519'

hashes.sha512 = (message) => new Uint8Array(createHash('sha512').update(message).digest())

/** Ed25519 key pair that authenticates a device. */
export interface Identity {
  /** Base64 of the 32-byte seed; stored only in the settings file. */
  privateKey: string
  /** Base64 of the 32 raw bytes. */
  publicKey: string
  sign(message: Uint8Array): Uint8Array
}

/** Creates the key pair from a base64 seed; throws unless the seed has 32 bytes. */
export function identityFrom(privateKey: string): Identity {
  const seed = new Uint8Array(Buffer.from(privateKey, 'base64'))
  if (seed.length !== 32) {
    throw new Error('the private key must be base64 of 32 bytes')
  }
  return {
    privateKey,
    publicKey: Buffer.from(getPublicKey(seed)).toString('base64'),
    sign: (message) => sign(message, seed),
  }
}

export const newIdentity = () => identityFrom(Buffer.from(utils.randomSecretKey()).toString('base64'))
