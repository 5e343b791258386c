import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Generates a secret: 64 random bytes in base64url, 86 characters. */
export const newSecret = () => randomBytes(64).toString('base64url')

const digest = (salt: string, secret: string) => hash('sha256', salt + secret, 'base64url')

/** Salted SHA-256. Sufficient for secrets with 512 random bits; passwords use argon2id instead. */
export function hashSecret(secret: string): string {
  const salt = randomBytes(16).toString('base64url')
  return `${salt}:${digest(salt, secret)}`
}

const hashOfNothing = hashSecret('')

/** Compares in constant time. Without a hash, takes equally long and returns false, so that existence does not leak. */
export function verifySecret(secretHash: string | undefined, secret: string): boolean {
  const [salt = '', expected = ''] = (secretHash ?? hashOfNothing).split(':')
  const wanted = Buffer.from(expected, 'latin1')
  const actual = Buffer.from(digest(salt, secret), 'latin1')
  const isEqual = wanted.length === actual.length && timingSafeEqual(wanted, actual)
  return isEqual && secretHash !== undefined
}
