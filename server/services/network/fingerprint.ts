import type { ServerFingerprintDto } from '../../../shared/dtos/network.ts'
import { fingerprintWords } from '../../../shared/fingerprint.ts'
import type { Pin } from '../../../shared/server-identity.ts'

/** A pin for people: words that are easy to read out and to compare, and all of it in hex. */
export function fingerprintOf(pin: Pin): ServerFingerprintDto {
  const hex = Buffer.from(pin.slice('sha256//'.length), 'base64').toString('hex')
  return { pin, words: fingerprintWords(pin).split(' '), hex }
}
