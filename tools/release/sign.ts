/** Keys of releases, and the signed file of a feed. */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { getPublicKeyAsync, signAsync, utils } from '@noble/ed25519'
import { type SignedRelease, ReleaseStatement } from '../../shared/release.ts'

/** Length of a private key: 32 bytes in base64. */
const keyLength = 44

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** Public half of a private key, in base64 like the private key. */
export const publicKeyOf = async (key: string): Promise<string> =>
  base64(await getPublicKeyAsync(Buffer.from(key, 'base64')))

/** Writes a new private key to a new file for its owner; returns the public key. */
export async function makeKey(file: string): Promise<string> {
  const key = base64(utils.randomSecretKey())
  writeFileSync(file, `${key}\n`, { mode: 0o600, flag: 'wx' })
  return publicKeyOf(key)
}

/** Reads private keys, one a line. Throws an error that does not show them. */
export function readKeys(text: string, source: string): string[] {
  const keys = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (keys.length === 0 || keys.some((key) => key.length !== keyLength)) {
    throw new Error(`${source} is no release key: "npm run release -- --make-key FILE" makes one.`)
  }
  return keys
}

export function sha256Of(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

export async function signRelease(statement: ReleaseStatement, keys: readonly string[]): Promise<SignedRelease> {
  const bytes = Buffer.from(JSON.stringify(ReleaseStatement.parse(statement)))
  const signatures = await Promise.all(
    keys.map(async (key) => ({
      key: await publicKeyOf(key),
      signature: base64(await signAsync(bytes, Buffer.from(key, 'base64'))),
    })),
  )
  return { statement: base64(bytes), signatures }
}
