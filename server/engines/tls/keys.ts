import { createHash, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { Pin } from '../../../shared/server-identity.ts'

const generate = promisify(generateKeyPair)

/** Generates a private key on P-256. */
export async function newKey(): Promise<KeyObject> {
  const { privateKey } = await generate('ec', { namedCurve: 'P-256' })
  return privateKey
}

/** Reads a private key, PKCS #8 in DER. */
export const readKey = (der: Buffer): KeyObject => createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })

/** SubjectPublicKeyInfo in DER, of a private or a public key. */
export const publicDerOf = (key: KeyObject): Buffer =>
  (key.type === 'private' ? createPublicKey(key) : key).export({ type: 'spki', format: 'der' })

/** Hash of a key, in the notation of `curl --pinnedpubkey`. */
export const pinOf = (key: KeyObject): Pin =>
  `sha256//${createHash('sha256').update(publicDerOf(key)).digest('base64')}`
