import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A machine-made secret: 64 random bytes in base64url, 86 characters. */
export const newSecret = () => randomBytes(64).toString('base64url')

const digest = (salt: string, secret: string) => createHash('sha256').update(salt).update(secret).digest()

/** Salted SHA-256. Enough for secrets with 512 bits of chance in them; passwords go through argon2id instead. */
export function hashSecret(secret: string): string {
  const salt = randomBytes(16).toString('base64url')
  return `${salt}:${digest(salt, secret).toString('base64url')}`
}

/** Compares in constant time. */
export function verifySecret(secretHash: string, secret: string): boolean {
  const [salt = '', expected = ''] = secretHash.split(':')
  const wanted = Buffer.from(expected, 'base64url')
  const actual = digest(salt, secret)
  return wanted.length === actual.length && timingSafeEqual(wanted, actual)
}
