import type { ServerFingerprintDto } from '../../shared/dtos/network.ts'
import { fingerprintWords } from '../../shared/fingerprint.ts'
import type { Pin } from '../../shared/server-identity.ts'

/** Encodes a pin for people: as words to read out and compare, and as hex. */
export function fingerprintOf(pin: Pin): ServerFingerprintDto {
  const hex = Buffer.from(pin.slice('sha256//'.length), 'base64').toString('hex')
  return { pin, words: fingerprintWords(pin).split(' '), hex }
}
