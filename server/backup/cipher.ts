import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'
import { publicKeyObject, rawPublicKey, type RecoveryKey } from './recovery-key.ts'

/*
 * Encryption of a copy, after age: the key of the file is encrypted for a public key (X25519, HKDF-SHA-256,
 * AES-256-GCM), and the content in chunks with a counter, of which the last is marked. AES, because Electron has no
 * ChaCha20.
 */

const algorithm = 'aes-256-gcm'
const keyBytes = 32
const tagBytes = 16
export const chunkBytes = 64 * 1024

const derive = (secret: Buffer, salt: Buffer, purpose: string) =>
  Buffer.from(hkdfSync('sha256', secret, salt, `farhand/backup/1/${purpose}`, keyBytes))

/** Nonce of a chunk: its number, and whether it is the last. Each key encrypts one file, so no nonce is used twice. */
function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(index), 3)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

function sealWith(key: Buffer, nonce: Buffer, plain: Buffer): Buffer {
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Throws for anything that this key did not encrypt with this nonce. */
function openWith(key: Buffer, nonce: Buffer, sealed: Buffer): Buffer {
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes))
  return Buffer.concat([decipher.update(sealed.subarray(0, sealed.length - tagBytes)), decipher.final()])
}

const wrappingKey = (own: KeyObject, other: KeyObject, sender: string, recipient: string) =>
  derive(diffieHellman({ privateKey: own, publicKey: other }), Buffer.from(`${sender}.${recipient}`), 'wrap')

export function wrapKey(fileKey: Buffer, recipient: string): { sender: string; wrapped: string } {
  const { privateKey, publicKey } = generateKeyPairSync('x25519')
  const sender = rawPublicKey(publicKey)
  const key = wrappingKey(privateKey, publicKeyObject(recipient), sender, recipient)
  return { sender, wrapped: sealWith(key, nonceOf(0, true), fileKey).toString('base64url') }
}

/** Decrypts the key of a file; throws for another recovery key and for changed texts. */
export function unwrapKey({ sender, wrapped }: { sender: string; wrapped: string }, recovery: RecoveryKey): Buffer {
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: sender }, format: 'jwk' })
  const key = wrappingKey(recovery.privateKey, publicKey, sender, recovery.publicKey)
  return openWith(key, nonceOf(0, true), Buffer.from(wrapped, 'base64url'))
}

/** Key of the chunks, bound to the header of the file. */
const chunkKey = (fileKey: Buffer, header: Buffer) => derive(fileKey, header, 'chunks')

/** Pieces of exactly `length` bytes, and a last one that may be shorter or empty. */
async function* inPieces(
  source: AsyncIterable<Buffer>,
  length: number,
): AsyncGenerator<{ piece: Buffer; isLast: boolean }> {
  let waiting: Buffer[] = []
  let size = 0
  for await (const part of source) {
    waiting.push(part)
    size += part.length
    if (size <= length) {
      continue
    }
    // The last piece is known only at the end, so one piece always waits.
    const all = Buffer.concat(waiting)
    let at = 0
    for (; all.length - at > length; at += length) {
      yield { piece: all.subarray(at, at + length), isLast: false }
    }
    waiting = [all.subarray(at)]
    size = all.length - at
  }
  yield { piece: Buffer.concat(waiting), isLast: true }
}

export async function* encryptChunks(source: AsyncIterable<Buffer>, fileKey: Buffer, header: Buffer) {
  const key = chunkKey(fileKey, header)
  let index = 0
  for await (const { piece, isLast } of inPieces(source, chunkBytes)) {
    yield sealWith(key, nonceOf(index++, isLast), piece)
  }
}

/** Decrypts chunks; throws at the first that was changed, moved or left out. */
export async function* decryptChunks(source: AsyncIterable<Buffer>, fileKey: Buffer, header: Buffer) {
  const key = chunkKey(fileKey, header)
  let index = 0
  for await (const { piece, isLast } of inPieces(source, chunkBytes + tagBytes)) {
    yield openWith(key, nonceOf(index++, isLast), piece)
  }
}
