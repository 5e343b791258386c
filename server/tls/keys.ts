import { createHash, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { Pin } from '../../shared/server-identity.ts'

const generate = promisify(generateKeyPair)

/** A new private key on P-256. */
export async function newKey(): Promise<KeyObject> {
  const { privateKey } = await generate('ec', { namedCurve: 'P-256' })
  return privateKey
}

/** SubjectPublicKeyInfo, DER, of a private or a public key. */
export const publicDerOf = (key: KeyObject): Buffer =>
  (key.type === 'private' ? createPublicKey(key) : key).export({ type: 'spki', format: 'der' })

/** The name of a key, as `curl --pinnedpubkey` takes it. */
export const pinOf = (key: KeyObject): Pin =>
  `sha256//${createHash('sha256').update(publicDerOf(key)).digest('base64')}`
