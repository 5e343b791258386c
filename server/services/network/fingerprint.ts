import { wordlist } from '@scure/bip39/wordlists/english.js'
import type { ServerFingerprintDto } from '../../../shared/dtos/network.ts'
import type { Pin } from '../../../shared/server-identity.ts'

const wordCount = 8
const bitsOfWord = 11n

/** A pin for people: its first 88 bits as words that are easy to read out and to compare, and all of it in hex. */
export function fingerprintOf(pin: Pin): ServerFingerprintDto {
  const hex = Buffer.from(pin.slice('sha256//'.length), 'base64').toString('hex')
  // 8 words of 11 bits are 11 bytes.
  const bits = BigInt(`0x${hex.slice(0, 22)}`)
  const words = Array.from({ length: wordCount }, (_, index) => {
    const shift = bitsOfWord * BigInt(wordCount - 1 - index)
    return wordlist[Number((bits >> shift) & 0x7ffn)]!
  })
  return { pin, words, hex }
}
