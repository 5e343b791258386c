import {
  constants,
  createCipheriv,
  createDecipheriv,
  createHash,
  createPublicKey,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
  X509Certificate,
  type KeyObject,
} from 'node:crypto'
import { LostSecretError, SecretStoreError, type SecretStore } from './store.ts'

/** Certificate that encrypts the stored secrets, with its private key. */
export interface KeyProtection {
  certificate: string
  key: KeyObject
}

const magic = Buffer.from('farhand-protected-1\n')
const fingerprintBytes = 32
const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }

const isProtected = (value: Buffer) => value.subarray(0, magic.length).equals(magic)

/** Fingerprint of the certificate's key: a renewed certificate with the same key still opens the secrets. */
const fingerprintOf = (certificate: string) =>
  createHash('sha256')
    .update(new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' }))
    .digest()

/**
 * A store whose values are encrypted for the holder of a certificate: RSA-OAEP wraps a new AES-256-GCM key for each value.
 * Values that were stored before are encrypted when they are read. Without `protection`, encrypted values are an error.
 */
export function protectedStore(store: SecretStore, protection: KeyProtection | undefined): SecretStore {
  if (protection && protection.key.asymmetricKeyType !== 'rsa') {
    throw new SecretStoreError('The certificate of KeyProtectionOptions has no RSA key: use one that has.')
  }
  const own = protection && fingerprintOf(protection.certificate)
  const encrypt = ({ certificate }: KeyProtection, name: string, value: Buffer) => {
    const key = randomBytes(keyBytes)
    const nonce = randomBytes(nonceBytes)
    const wrapped = publicEncrypt({ key: createPublicKey(certificate), ...padding }, key)
    const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(name))
    const body = Buffer.concat([cipher.update(value), cipher.final()])
    const length = Buffer.alloc(2)
    length.writeUInt16BE(wrapped.length)
    return Buffer.concat([magic, own!, length, wrapped, nonce, cipher.getAuthTag(), body])
  }
  const decrypt = ({ key }: KeyProtection, name: string, value: Buffer) => {
    let at = magic.length
    const take = (length: number) => value.subarray(at, (at += length))
    if (!take(fingerprintBytes).equals(own!)) {
      throw new SecretStoreError(
        'The secrets of this data folder were encrypted with another certificate than that of KeyProtectionOptions: give the one that encrypted them.',
      )
    }
    try {
      const wrapped = take(take(2).readUInt16BE())
      const [nonce, tag, body] = [take(nonceBytes), take(tagBytes), value.subarray(at)]
      const decipher = createDecipheriv('aes-256-gcm', privateDecrypt({ key, ...padding }, wrapped), nonce, {
        authTagLength: tagBytes,
      })
      decipher.setAAD(Buffer.from(name)).setAuthTag(tag)
      return Buffer.concat([decipher.update(body), decipher.final()])
    } catch (error) {
      throw new LostSecretError('The encrypted secrets of this data folder were changed. Restore them from a backup.', {
        cause: error,
      })
    }
  }
  return {
    kind: store.kind,
    async get(name) {
      const value = await store.get(name)
      if (value === undefined) {
        return undefined
      }
      if (!isProtected(value)) {
        if (protection) {
          await store.set(name, encrypt(protection, name, value))
        }
        return value
      }
      if (!protection) {
        throw new SecretStoreError(
          'The secrets of this data folder are encrypted with a certificate: set KeyProtectionOptions__EncryptKeys and name it.',
        )
      }
      return decrypt(protection, name, value)
    },
    set: (name, value) => store.set(name, protection ? encrypt(protection, name, value) : value),
    delete: (name) => store.delete(name),
  }
}
