import { id_pbeWithSHAAnd3_KeyTripleDES_CBC, type MacData } from '@peculiar/asn1-pfx'
import type { AlgorithmIdentifier } from '@peculiar/asn1-x509'
import { createDecipheriv, createHmac, hash, pbkdf2, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { TimeSlice } from '../../ground/clock.ts'
import { contentOf, KeyUse, octetsIn, parametersOf, SaltedRounds, ScryptCost } from './asn1.ts'

const [pbkdf2Async, scryptAsync] = [
  promisify(pbkdf2),
  promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt),
]

/** Typical files need a few thousand. This many take a second or two. */
const mostRounds = 2_000_000
/** Memory limit of scrypt: OpenSSL's own default. */
const mostMemory = 32 * 1024 * 1024
/** Rounds between two checks of the time slice. */
const roundsPerCheck = 512

const digests: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.4': 'sha224',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}
const hmacs: Readonly<Record<string, string>> = {
  '1.2.840.113549.2.7': 'sha1',
  '1.2.840.113549.2.8': 'sha224',
  '1.2.840.113549.2.9': 'sha256',
  '1.2.840.113549.2.10': 'sha384',
  '1.2.840.113549.2.11': 'sha512',
}
const ciphers: Readonly<Record<string, { name: string; keyBytes: number }>> = {
  '2.16.840.1.101.3.4.1.2': { name: 'aes-128-cbc', keyBytes: 16 },
  '2.16.840.1.101.3.4.1.22': { name: 'aes-192-cbc', keyBytes: 24 },
  '2.16.840.1.101.3.4.1.42': { name: 'aes-256-cbc', keyBytes: 32 },
  '1.2.840.113549.3.7': { name: 'des-ede3-cbc', keyBytes: 24 },
}
const kinds = {
  pbes2: '1.2.840.113549.1.5.13',
  pbmac1: '1.2.840.113549.1.5.14',
  pbkdf2: '1.2.840.113549.1.5.12',
  scrypt: '1.3.6.1.4.1.11591.4.11',
}
/** Purposes of a PKCS #12 key. */
const uses = { key: 1, iv: 2, mac: 3 }

function known<Value>(table: Readonly<Record<string, Value>>, oid: string): Value {
  const value = Object.hasOwn(table, oid) ? table[oid] : undefined
  if (value === undefined) {
    throw new Error(`unsupported: ${oid}`)
  }
  return value
}

/** Encodes text for PKCS #12 keys: UTF-16 big-endian, with a zero at the end. */
const wideText = (text: string) => Buffer.from(`${text}\0`, 'utf16le').swap16()

const filled = (bytes: Buffer, block: number) =>
  Buffer.alloc(Math.ceil(bytes.length / block) * block, bytes.length === 0 ? undefined : bytes)

/** Adds two numbers of block length plus one, in place. */
function add(block: Buffer, other: Buffer) {
  let carry = 1
  for (let at = block.length - 1; at >= 0; at--) {
    const sum = (block[at] ?? 0) + (other[at] ?? 0) + carry
    block[at] = sum & 0xff
    carry = sum >> 8
  }
}

interface Derivation {
  digest: string
  salt: Buffer
  rounds: number
}

/**
 * A password and its decryptions. The file itself names the number of hash rounds, even in encrypted parts: all rounds
 * count against a limit before they run. They never block the event loop: they run on other threads, or yield.
 */
export class Password {
  readonly #text: string
  /**
   * Encodings of the password for PKCS #12. Some programs encode no password as empty text with a zero, others without
   * the zero.
   */
  #wide: readonly Buffer[]
  #left = mostRounds

  constructor(text: string | undefined) {
    this.#text = text ?? ''
    const wide = wideText(this.#text)
    this.#wide = this.#text === '' ? [wide, Buffer.alloc(0)] : [wide]
  }

  /** Decrypts content with an algorithm and its parameters. Throws for a wrong password. */
  async decrypt(algorithm: AlgorithmIdentifier, encrypted: Buffer): Promise<Buffer> {
    if (algorithm.algorithm === id_pbeWithSHAAnd3_KeyTripleDES_CBC) {
      return await this.#decryptOld(parametersOf(algorithm, SaltedRounds), encrypted)
    }
    if (algorithm.algorithm !== kinds.pbes2) {
      throw new Error(`unsupported: ${algorithm.algorithm}`)
    }
    const { derivation, scheme } = parametersOf(algorithm, KeyUse)
    const { name, keyBytes } = known(ciphers, scheme.algorithm)
    const key = await this.#key(derivation, keyBytes)
    return decipher(name, key, octetsIn(scheme.parameters ?? new ArrayBuffer()), encrypted)
  }

  /** Verifies the MAC of a PFX file. Throws for a wrong password. */
  async verify({ mac, macSalt, iterations }: MacData, content: Buffer): Promise<void> {
    const expected = contentOf(mac.digest)
    const isMac = (digest: string, key: Buffer) => {
      const actual = createHmac(digest, key).update(content).digest()
      return actual.length === expected.length && timingSafeEqual(actual, expected)
    }
    if (mac.digestAlgorithm.algorithm === kinds.pbmac1) {
      const { derivation, scheme } = parametersOf(mac.digestAlgorithm, KeyUse)
      const digest = known(hmacs, scheme.algorithm)
      if (isMac(digest, await this.#key(derivation, bytesOf(digest)))) {
        return
      }
      throw new Error('mac verify failure')
    }
    const digest = known(digests, mac.digestAlgorithm.algorithm)
    for (const wide of this.#wide) {
      const derivation = { digest, salt: contentOf(macSalt), rounds: Number(iterations) }
      if (isMac(digest, await this.#oldKey(wide, derivation, uses.mac, bytesOf(digest)))) {
        // Encryption usually uses the same password encoding as the MAC.
        this.#wide = [wide, ...this.#wide.filter((other) => other !== wide)]
        return
      }
    }
    throw new Error('mac verify failure')
  }

  async #decryptOld({ salt, rounds }: SaltedRounds, encrypted: Buffer): Promise<Buffer> {
    const derivation = { digest: 'sha1', salt: contentOf(salt), rounds }
    let failure: unknown
    for (const wide of this.#wide) {
      const key = await this.#oldKey(wide, derivation, uses.key, 24)
      const iv = await this.#oldKey(wide, derivation, uses.iv, 8)
      try {
        return decipher('des-ede3-cbc', key, iv, encrypted)
      } catch (error) {
        failure ??= error
      }
    }
    throw failure
  }

  #count(rounds: number) {
    if (!(rounds > 0)) {
      throw new Error('no rounds')
    }
    this.#left -= rounds
    if (!(this.#left >= 0)) {
      throw new Error('too many rounds')
    }
  }

  /** Derives a key by PBES2 of PKCS #5, on another thread. */
  async #key(derivation: AlgorithmIdentifier, keyBytes: number): Promise<Buffer> {
    if (derivation.algorithm === kinds.scrypt) {
      const { salt, cost, blockSize, parallelization } = parametersOf(derivation, ScryptCost)
      this.#count(cost * blockSize * parallelization)
      const limits = { N: cost, r: blockSize, p: parallelization, maxmem: mostMemory }
      return await scryptAsync(this.#text, contentOf(salt), keyBytes, limits)
    }
    if (derivation.algorithm !== kinds.pbkdf2) {
      throw new Error(`unsupported: ${derivation.algorithm}`)
    }
    const { salt, rounds, digest: prf } = parametersOf(derivation, SaltedRounds)
    const digest = known(hmacs, prf.algorithm)
    this.#count(rounds * Math.ceil(keyBytes / bytesOf(digest)))
    return await pbkdf2Async(this.#text, contentOf(salt), rounds, keyBytes, digest)
  }

  /** Derives a key by PKCS #12 (RFC 7292, appendix B), which Node does not offer; yields between rounds. */
  async #oldKey(text: Buffer, { digest, salt, rounds }: Derivation, use: number, keyBytes: number): Promise<Buffer> {
    const length = bytesOf(digest)
    const block = length > 32 ? 128 : 64
    const input = Buffer.concat([filled(salt, block), filled(text, block)])
    const blocks = Math.ceil(keyBytes / length)
    this.#count(rounds * blocks)
    const slice = new TimeSlice()
    const parts: Buffer[] = []
    for (let part = 0; part < blocks; part++) {
      let state: Buffer = Buffer.concat([Buffer.alloc(block, use), input])
      for (let round = 0; round < rounds; round++) {
        state = hash(digest, state, 'buffer')
        if (round % roundsPerCheck === 0 && slice.isOver) {
          await slice.yield()
        }
      }
      parts.push(state)
      const other = filled(state, block).subarray(0, block)
      for (let at = 0; at < input.length; at += block) {
        add(input.subarray(at, at + block), other)
      }
    }
    return Buffer.concat(parts).subarray(0, keyBytes)
  }
}

const bytesOf = (digest: string) => hash(digest, '', 'buffer').length

function decipher(name: string, key: Buffer, iv: Buffer, encrypted: Buffer): Buffer {
  const cipher = createDecipheriv(name, key, iv)
  return Buffer.concat([cipher.update(encrypted), cipher.final()])
}
