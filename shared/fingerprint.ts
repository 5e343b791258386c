import { wordlist } from '@scure/bip39/wordlists/english.js'
import type { Pin } from './server-identity.ts'

const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const bitsOfWord = 11
const wordCount = 8

/** Encodes a key as words for comparison: the first 88 bits of its SHA-256, 11 bits for each of 8 words. */
export function fingerprintWords(pin: Pin): string {
  const characters = pin.slice('sha256//'.length).split('')
  const bits = characters.map((character) => base64.indexOf(character).toString(2).padStart(6, '0')).join('')
  const wordAt = (index: number) =>
    wordlist[Number.parseInt(bits.slice(index * bitsOfWord, (index + 1) * bitsOfWord), 2)]
  return Array.from({ length: wordCount }, (_, index) => wordAt(index)).join(' ')
}
