import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, randomBytes } from 'node:crypto'
import { LostSecretError, SecretStoreError, type SecretStore } from './store.ts'

/** Encrypts texts that can be stored anywhere, and decrypted only with the master key and the same context. */
export interface Sealer {
  /** `context` names the place of the text, such as `users/<id>/totp`. It is authenticated but not included. */
  seal(plain: Buffer | string, context: string): string
  /** Throws an `UnsealError` for a modified text, or one with another key or context. */
  unseal(text: string, context: string): Buffer
  /** HMAC-SHA256 of a text and its context: proves later that a holder of the master key wrote the text. */
  sign(text: string, context: string): Buffer
}

export class UnsealError extends Error {
  override name = 'UnsealError'
}

const masterKeyName = 'master-key'
const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16
const sealedText = /^s1\.[0-9a-f]{8}\.[\w-]+$/

/**
 * Opens the sealer of an installation. The master key is generated on first use; pass `mayCreate: false` if sealed
 * texts may already exist, so that a lost key prevents the start.
 */
export async function openSealer(store: SecretStore, { mayCreate = true } = {}): Promise<Sealer> {
  const key = (await store.get(masterKeyName)) ?? (mayCreate ? await createMasterKey(store) : undefined)
  if (key === undefined) {
    throw new LostSecretError(
      `The master key of this data folder is missing from its ${store.kind}. Restore it from a backup: without it nothing that it protects can be read.`,
    )
  }
  if (key.length !== keyBytes) {
    throw new LostSecretError(`The master key in the ${store.kind} is damaged. Restore it from a backup.`)
  }
  return createSealer(key)
}

export const hasMasterKey = async (store: SecretStore): Promise<boolean> =>
  (await store.get(masterKeyName)) !== undefined

/** Throws if the store does not give the master key. */
export async function requireMasterKey(store: SecretStore): Promise<void> {
  if ((await store.get(masterKeyName))?.length !== keyBytes) {
    throw new SecretStoreError(`The master key of this data folder is missing from its ${store.kind}.`)
  }
}

async function createMasterKey(store: SecretStore): Promise<Buffer> {
  const key = randomBytes(keyBytes)
  await store.set(masterKeyName, key)
  if (!(await store.get(masterKeyName))?.equals(key)) {
    throw new SecretStoreError(`The ${store.kind} does not give back the master key that was just stored in it.`)
  }
  return key
}

/**
 * AES-256-GCM with a random nonce. Text: `s1.<key id>.<base64url of nonce, tag, ciphertext>`. Version, key id and
 * context are authenticated.
 */
function createSealer(masterKey: Buffer): Sealer {
  const derive = (purpose: string, length: number) =>
    Buffer.from(hkdfSync('sha256', masterKey, '', `farhand/seal/1/${purpose}`, length))
  // Key objects: Node imports a buffer for each use, which takes longer than the encryption.
  const key = createSecretKey(derive('key', keyBytes))
  const signingKey = createSecretKey(derive('sign', keyBytes))
  const head = `s1.${derive('id', 4).toString('hex')}.`
  const additional = (context: string) => Buffer.from(head + context)
  return {
    seal(plain, context) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes }).setAAD(additional(context))
      const body = [cipher.update(plain), cipher.final()]
      return head + Buffer.concat([nonce, cipher.getAuthTag(), ...body]).toString('base64url')
    },
    unseal(text, context) {
      if (!sealedText.test(text)) {
        throw new UnsealError('This is not a sealed text of a known version.')
      }
      if (!text.startsWith(head)) {
        throw new UnsealError('The text was sealed with another master key.')
      }
      const encoded = text.slice(head.length)
      const bytes = Buffer.from(encoded, 'base64url')
      if (bytes.toString('base64url') !== encoded) {
        throw new UnsealError('The sealed text was changed.')
      }
      const nonce = bytes.subarray(0, nonceBytes)
      const tag = bytes.subarray(nonceBytes, nonceBytes + tagBytes)
      if (tag.length !== tagBytes) {
        throw new UnsealError('The sealed text is cut off.')
      }
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
      decipher.setAAD(additional(context)).setAuthTag(tag)
      try {
        const plain = decipher.update(bytes.subarray(nonceBytes + tagBytes))
        // Checks the tag; a GCM cipher holds nothing back.
        decipher.final()
        return plain
      } catch {
        throw new UnsealError('The sealed text was changed, or belongs to another place.')
      }
    },
    sign: (text, context) =>
      createHmac('sha256', signingKey)
        .update(JSON.stringify([context, text]))
        .digest(),
  }
}
