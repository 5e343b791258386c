import { createPrivateKey, createPublicKey, hash, hkdfSync, randomBytes, type KeyObject } from 'node:crypto'
import { typedCode } from '../ground/typed-code.ts'
import { BackupError } from './backup-error.ts'

/*
 * The recovery key: 160 random bits, from which an X25519 key pair is derived. The server stores the public key only.
 * Written as 8 groups of 5 characters, of which the last checks its group: a typing error is found with its place.
 */

/** Without I, L, O and U, which are misread. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const keyBytes = 20
const groups = 8
const groupLength = 4

/** Odd weights: every changed character, and every swapped group, changes the sum. */
const weights = [1, 3, 7, 11]

const checkOf = (group: number, values: readonly number[]) =>
  alphabet[(5 * group + values.reduce((sum, value, index) => sum + value * weights[index]!, 0)) % 32]!

/** Base 32, most significant bits first. */
function charactersOf(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{5}/g) ?? []).map((five) => alphabet[Number.parseInt(five, 2)]).join('')
}

function bytesOf(characters: string): Buffer {
  const bits = [...characters].map((each) => alphabet.indexOf(each).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)))
}

const valuesOf = (characters: string) => [...characters].map((each) => alphabet.indexOf(each))

/** Groups with hyphens, for people: `0AB12-…`. */
function formatted(key: Buffer): string {
  const parts = charactersOf(key).match(/.{4}/g) ?? []
  return parts.map((part, index) => part + checkOf(index, valuesOf(part))).join('-')
}

/** A key that people type. */
export const newRecoveryKey = (): string => formatted(randomBytes(keyBytes))

/** Reads a typed key, in any case and with any separators. Throws a `BackupError` that names the wrong group. */
function readKey(text: string, name: string): Buffer {
  const typed = typedCode(text).replaceAll(/[IL]/g, '1').replaceAll('O', '0').replaceAll('U', 'V')
  const length = groups * (groupLength + 1)
  if (typed.length !== length || [...typed].some((each) => !alphabet.includes(each))) {
    const counted = typed.length === length ? '' : `, ${length} in all, and you entered ${typed.length}`
    throw new BackupError(
      `This is not a ${name}: it has ${groups} groups of ${groupLength + 1} letters and digits${counted}. Enter all of them.`,
    )
  }
  const parts = typed.match(/.{5}/g) ?? []
  const wrong = parts.findIndex((part, index) => checkOf(index, valuesOf(part.slice(0, groupLength))) !== part.at(-1))
  if (wrong >= 0) {
    throw new BackupError(`Group ${wrong + 1} of the ${name} (${parts[wrong]}) is mistyped. Compare it and try again.`)
  }
  return bytesOf(parts.map((part) => part.slice(0, groupLength)).join(''))
}

/** Start of a PKCS #8 structure with an X25519 key. */
const privatePrefix = Buffer.from('302e020100300506032b656e04220420', 'hex')

export const rawPublicKey = (key: KeyObject): string => String(key.export({ format: 'jwk' }).x)

export interface RecoveryKey {
  privateKey: KeyObject
  /** 32 bytes in base64url, as the server stores them. */
  publicKey: string
}

/** The key pair of a typed key. Throws a `BackupError` for a mistyped one. */
export function readRecoveryKey(text: string, name = 'recovery key'): RecoveryKey {
  const purpose = `farhand/${name.replaceAll(' ', '-')}/1`
  const seed = Buffer.from(hkdfSync('sha256', readKey(text, name), '', purpose, 32))
  const privateKey = createPrivateKey({ key: Buffer.concat([privatePrefix, seed]), format: 'der', type: 'pkcs8' })
  return { privateKey, publicKey: rawPublicKey(createPublicKey(privateKey)) }
}

export const publicKeyObject = (publicKey: string): KeyObject =>
  createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: publicKey }, format: 'jwk' })

/** Names a recovery key in files and on pages: 8 characters, from which the key cannot be derived. */
export const fingerprintOf = (publicKey: string): string =>
  charactersOf(Buffer.from(hash('sha256', `farhand/recovery-key/1/${publicKey}`, 'hex'), 'hex').subarray(0, 5)).replace(
    /(.{4})/,
    '$1-',
  )
